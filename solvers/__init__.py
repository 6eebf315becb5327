"""Who plays: dead ends, exact search, heuristics; one registry names them all."""
