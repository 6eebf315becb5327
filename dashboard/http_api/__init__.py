"""The HTTP API for programs: deals, verdicts, solutions, moves, bounds and datasets."""
