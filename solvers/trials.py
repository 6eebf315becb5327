"""Trials of a deal: the games that quick players win of a fixed number, with fixed random seeds.

They tell how hard a deal is where no solver tells which plays keep a win (`solvers.features`), as
in Spider. They are a function of the deal, its ruleset and the players.
"""

from engine.game import Deal, Rules
from solvers.outcome import Result
from solvers.registry import methods_of
from solvers.solver import Solver, configure

# Raised when the number of games, or what is played, changes.
VERSION = 1
# Games of each player, with the random seeds from 0 on.
GAMES = 10


def trial_players(rules: Rules) -> list[Solver]:
    """The players of the trials of a ruleset, the weakest first; see `Method.trials`."""
    return [
        configure(method, values)
        for method in methods_of(rules.game)
        if method.plays(rules)
        for values in method.trials
    ]


def trials(deal: Deal, rules: Rules) -> tuple[int, ...]:
    """The games of `GAMES` that each of the players wins, in the order of `trial_players`."""
    cards = deal.as_array()[None]
    return tuple(
        sum(
            outcome.result is Result.WON
            for seed in range(GAMES)
            for outcome in configure(
                player.method, {**dict(player.values), "random_seed": seed}
            ).decide(cards, rules)
        )
        for player in trial_players(rules)
    )
