"""What goes beyond solving. The library, `dicelab`, does not know it, and extras do not know each other.

learning
    Learners, and environments for the learners of others.
play
    Games in progress: at a table in JupyterLab, in the terminal, and what to do in a situation.
proofs
    Bounds of all values, certificates that others check, games as model checkers read them.
"""
