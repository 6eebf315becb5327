"""What `benchmarks/exact.py` is made of: a process that solves, and questions put to it."""
