"""Playing: games in progress and what to do in them, in JupyterLab, in the terminal and in text.

session
    `GameSession`: a game in progress between people and policies.
situation
    Situations in a line of text.
advice
    What to do in a position, in words.
widgets
    A table to play at and a die to design, for a notebook that runs.
"""
