"""Solvers and players of the games, with one registry of all methods.

`solvers.registry` loads a method when it is first asked for, and the packages below are empty, so
that to name one method does not load the kernels of the others.
"""
