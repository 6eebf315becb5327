"""Definition of the games: cards, deals, dealers, rulesets, positions, moves and referees."""
