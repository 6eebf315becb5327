"""What a game is: cards, deals, dealers, rulesets, positions, moves, notation and the referee."""
