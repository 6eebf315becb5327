"""`exact-uct`: player of Klondike with hidden cards, by UCT over information sets.

A tree of information sets is grown from the current position, as in UCT (Kocsis and Szepesvári
2006): an edge is a step of the player, with one outcome for each card that may turn up. The player
adds these ideas:

- *Steps are those of the exact search* (`solvers.klondike.exact.position`): cards to the
  foundations, heads of columns that move away, cards of the stock that come down, and cards brought
  back where they are needed. The places of loose cards are not a choice, as they can be changed at
  any time; the stock is turned only for the card that is taken; safe cards go up at once. The
  proofs in `docs/search/` that this loses nothing hold here, too: they exchange only steps whose
  results are known.
- *Leaves are decided, not played out*: where a trajectory leaves the tree, a determinization is
  sampled uniformly, and the exact search decides within a small budget whether it can be won.
- *No clairvoyance inside the tree*: a card that turns up is sampled anew each time, so the value of
  a step averages over the cards that may turn up. Only leaves are evaluated with all cards known,
  which limits the trap of figure 2 of Bjarnason, Fern, Tadepalli 2009.
- *The tree is reused* from step to step: the subtree below the step taken and the card that turned
  up is the tree of the next decision.
- *Decisions by sequential halving* (Karnin, Koren, Somekh 2013): all remaining steps are tried in
  the same determinizations, and the worse half is dropped, until one is left. Common
  determinizations reduce the variance of the differences.
- *Once nothing is hidden*, the exact search plays.
- *A leaf left undecided* counts as lost.

The player is given the observation of the start, and each card that turns up; see `ExactUctPlayer`.
It also advises on any position (`Method.advise`), from what is seen of it: it then begins in the
middle, without what it would have learned by playing there.
"""

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
from solvers.method import Method, Parameter, Values
from solvers.pacing import chunk_for


def _player(rules: KlondikeRules, values: Values) -> ExactUctPlayer:
    """The player of this thread, with these settings."""
    return player_with(
        UctSettings(rules.draw, values["trajectories"], EXPLORATION, values["nodes"])
    )


METHOD = Method(
    slug="exact-uct",
    version=1,
    summary="UCT over observations, leaves decided by exact search; sees no face-down card",
    game="klondike",
    sees="observation",
    source=None,
    parameters=(
        Parameter("trajectories", 1000, 1, 10_000_000, "trajectories for a decision"),
        Parameter("nodes", 1000, 1, 10**9, "positions that exact search may enter for a leaf"),
        Parameter("random_seed", 0, 0, 2**31 - 1, "seed of the random generator"),
    ),
    rulesets=USUAL_RULESETS,
    plays=has_usual_rules,
    chunk=chunk_for(lambda values: 0.5 * values["trajectories"]),
    solve=CroupierGames(_player).solve,
    solve_position=CroupierGames(_player).solve_position,
    advise=Adviser(_player, 1.372, 0.965, -0.1026).advise,
    playouts={"trajectories": 250},
    # Four strengths; more games of those that are quick.
    ladder=tuple(
        {"trajectories": trajectories, "random_seed": number}
        for trajectories, games in ((15, 2), (30, 2), (60, 2), (250, 1))
        for number in range(games)
    ),
)
