"""`policy-uct`: `exact-uct` with a learned policy of steps, which counts as trajectories.

`solvers.klondike.players.step_policy` rates the steps of a decision from what is seen. The search
of `solvers.klondike.players.exact_uct` then chooses as if that many trajectories more had been
played, of which each step won the share that the policy tells (`PRIOR`). Between few trajectories
differences are noise, which the policy, learned from many games, has less of. At draw 3 the same
holds at each node of the tree (`INNER_PRIOR`): trajectories follow the policy first, so that the
tree is deep where a player who does not see the hidden cards would go, and leaves, which are
decided with all cards shown, come later. A leaf with hidden cards that exact search leaves
undecided is worth half a win, so that less search suffices there.

Without trajectories the policy plays alone. Advice takes one at least.
"""

# mypy: allow-untyped-calls

from engine.klondike.rules import KlondikeRules
from solvers.klondike.exact.rules import USUAL_RULESETS, has_usual_rules
from solvers.klondike.players.advising import Adviser
from solvers.klondike.players.exact_uct_player import (
    EXPLORATION,
    CroupierGames,
    ExactUctPlayer,
    player_with,
)
from solvers.klondike.players.exact_uct_search import UctSettings
from solvers.klondike.players.step_policy import load_weights
from solvers.method import Method, Parameter, Values
from solvers.pacing import chunk_for
from solvers.search_tree import PARTS

# Trajectories that the policy counts for, of each step.
PRIOR = 500
# And at the nodes below, by draw: at draw 1 nothing is gained by it.
INNER_PRIOR = {1: 0, 3: 50}
# What a leaf left undecided is worth.
UNDECIDED = PARTS // 2

# What else `USUAL_RULESETS` has.
_ANY_DRAW = "any draw count"
assert USUAL_RULESETS.endswith(_ANY_DRAW)


def _plays(rules: KlondikeRules) -> bool:
    return has_usual_rules(rules) and rules.draw in INNER_PRIOR


def _player(rules: KlondikeRules, values: Values) -> ExactUctPlayer:
    weights = load_weights(f"klondike-draw{rules.draw}")
    player = player_with(
        UctSettings(
            rules.draw,
            values["trajectories"],
            EXPLORATION,
            values["nodes"],
            UNDECIDED,
            PRIOR,
            INNER_PRIOR[rules.draw],
        )
    )
    player.work.policy.weights[:] = weights
    return player


METHOD = Method(
    slug="policy-uct",
    version=2,
    summary="`exact-uct` with a learned policy of steps as its prior; sees no face-down card",
    game="klondike",
    sees="observation",
    source=None,
    parameters=(
        Parameter("trajectories", 2000, 0, 10_000_000, "for a decision, 0 for the policy alone"),
        Parameter("nodes", 256, 1, 10**9, "positions that exact search may enter for a leaf"),
        Parameter("random_seed", 0, 0, 2**31 - 1, "seed of the random generator"),
    ),
    rulesets=USUAL_RULESETS.removesuffix(_ANY_DRAW) + "draw 1 or 3",
    plays=_plays,
    chunk=chunk_for(lambda values: 6.0 + 0.25 * values["trajectories"]),
    solve=CroupierGames(_player).solve,
    solve_position=CroupierGames(_player).solve_position,
    advise=Adviser(_player, 0.413, 1.031, -0.0587).advise,
    playouts={"trajectories": 250},
)
