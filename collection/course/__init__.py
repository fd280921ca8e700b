"""The course: the textbook's algorithms, the exercises, the drawings, and what is made of the lectures.

textbook
    Plain, slow and readable solvers, which share nothing with the fast ones but the rules.
readable
    A solver of races of two, to read in ten minutes.
exercises, answer_keys
    Answers to the exercises: right, or what is wrong with them.
diagrams
    Drawings of the lectures.
guide, course_map, terms, references
    The instructor's guide, the map, the index of terms and the bibliography.
"""
