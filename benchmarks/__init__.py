"""Timings of the solvers against textbook ones; not part of the package."""
