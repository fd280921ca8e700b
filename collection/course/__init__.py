"""The course: the textbook's algorithms, the exercises, the drawings, and what is made of the chapters.

textbook
    Plain, slow and readable solvers, which share nothing with the fast ones but the rules.
lectures, editions
    The sources of the chapters, and what is made of them: notebooks for students and teachers, slides, the book.
readable
    A solver of races of two, to read in ten minutes.
exercises, judging
    Exercises as functions of the rules; answers to them, right or what is wrong with them; rules for a class.
diagrams
    Drawings of the chapters.
guide, terms, references
    The instructor's guide, the index of terms and the bibliography.
"""
