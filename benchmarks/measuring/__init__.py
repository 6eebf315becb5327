"""Parts of `benchmarks/exact.py`: a worker process that solves, and measurements of it."""
