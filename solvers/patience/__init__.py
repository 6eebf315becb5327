"""Solvers of the patience games that are data."""
