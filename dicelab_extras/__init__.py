"""What goes beyond solving. The library, `dicelab`, does not know it, and extras do not know each other.

grading
    Strategies that people bring, read from whatever they have, and what they give away.
learning
    Learners, and environments for the learners of others.
play
    Games in progress: at a table in JupyterLab, in the terminal, and what to do in a situation; and cards of results.
proofs
    Bounds of all values, certificates that others check, games as model checkers read them.
"""
