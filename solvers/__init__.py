"""Solvers and players of the games, with one registry of all methods."""
