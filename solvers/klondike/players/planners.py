"""The players of Bjarnason, Fern, Tadepalli 2009: Klondike with hidden cards.

*Lower Bounding Klondike Solitaire with Monte-Carlo Planning*. All play on observations
(`engine.klondike.observation`), choose among the actions of `solvers.klondike.kplus.actions` in the
paper's order of preference, repeat no state and finish greedily (`solvers.klondike.players.play`).

| method                | choice of the action                                             |
|-----------------------|------------------------------------------------------------------|
| `random`              | uniformly random                                                 |
| `greedy`              | the first action                                                 |
| `hop`                 | by the wins of nested rollouts on determinizations               |
| `uct`                 | by one tree with any number of outcomes for an action            |
| `sparse-uct`          | by one tree with `width` outcomes for an action                  |
| `hop-uct`             | by several trees with one outcome for an action, averaged        |
| `ensemble-uct`        | by several trees with any number of outcomes, averaged           |
| `ensemble-sparse-uct` | by several trees with `width` outcomes, averaged                 |

The trees are those of `solvers.klondike.players.tree`; `hop` is `solvers.klondike.players.hop`.

Choices where the paper leaves room, with reasons:

- *Actions.* "We adopt this action space", that of the paper of 2007: K+ with its restrictions,
  among them the pairs of `solvers.klondike.kplus.actions`. With them `greedy` wins what is
  published; without them less than half of it.
- *Ties.* Of actions in one class of the order, and of actions of equal value, the first is taken.
- *Nodes.* A node is a path from the root, as in the text on HOP-UCT; two paths to one state do not
  share statistics. "Added to the tree if it is not already present" could mean that they do.
- *An action with one outcome* has one child however often it is taken. For an action that turns a
  card up, `width` outcomes are sampled with replacement, and from then on one of them is sampled
  each time. The text could also mean `width` different ones.
- *Actions not yet explored* are equally likely, pairs like others.
- *Each decision* grows its trees anew.
- *Terminal states* of a trajectory are wins and states where every action repeats a state; there is
  no dead-end test. Trajectories finish greedily, too, where no card lies face down.
- *A single action* that is allowed is taken without planning.
- *HOP's samples*: `samples` for each action of a decision; each samples the card that the action
  turns up and a determinization of the rest for nested rollouts with H2, nested `level` times.
- *HOP's rollouts avoid dead ends*: there a dead end is worth LOSS, as the paper of 2007 says of
  pruning (section 4.1), and not its heuristic value, as its table of n=0 needs
  (`solvers.klondike.rollouts.multistage`). With it 10 samples at level 0 win what is published,
  without it 2.4 points less (`benchmarks/planners.py --players hop`).

The nodes of a game are the states entered in the game and in simulations.
"""

# mypy: allow-untyped-calls

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiling import solving_time
from engine.klondike.observation import Determinization, Observation
from engine.klondike.rules import KlondikeRules
from solvers.klondike.kplus.actions import MOST_ACTIONS, NEEDED
from solvers.klondike.kplus.values import H2
from solvers.klondike.players import hop as hop_kernel
from solvers.klondike.players import tree as hidden_tree
from solvers.klondike.players.game import GameRunner, PlanningPlayer
from solvers.klondike.players.hop import Planner
from solvers.klondike.players.play import (
    GREEDY,
    HISTORY_FULL,
    NO_ACTION,
    RANDOM,
    STATES,
    TOO_MANY_STATES,
    PlayerWorkspace,
)
from solvers.klondike.players.tree import TreeSettings, new_tree_buffers
from solvers.klondike.rollouts.multistage import (
    MOST_NESTING,
    RULESETS,
    RolloutReading,
    new_rollout_workspace,
    plays,
    with_more_room,
)
from solvers.klondike.rollouts.search import LOST_AT_ONCE, Search
from solvers.method import Method, Parameter, Values
from solvers.outcome import Outcome
from solvers.pacing import chunk_for

_MOST_NODES = 1 << 26


class TreePlayer:
    """Player by UCT trees."""

    def __init__(self, settings: TreeSettings) -> None:
        self.pairs = settings.pairs
        self.settings = settings
        self.buffers = new_tree_buffers(1 << 14)

    def choose(self, observation: Observation, work: PlayerWorkspace) -> int:
        """See `solvers.klondike.players.game.PlanningPlayer`."""
        rng, entered = work.rng.copy(), int(work.counts[STATES])
        while True:
            action = int(hidden_tree.plan(observation, self.settings, work, self.buffers))
            if action >= NO_ACTION:
                return action
            if action == -HISTORY_FULL:
                raise RuntimeError(TOO_MANY_STATES)
            nodes = len(self.buffers.tree.nodes)
            if nodes >= _MOST_NODES:
                raise RuntimeError(f"a tree of more than {_MOST_NODES} nodes")
            # Repeated with more room from the same generator state: the result is the same.
            work.rng[:], work.counts[STATES] = rng, entered
            self.buffers = new_tree_buffers(2 * nodes)


# The treatment of dead ends by the rollouts of `hop`.
PRUNED = RolloutReading(dead=LOST_AT_ONCE)


class HindsightPlayer:
    """Player by hindsight optimization with nested rollouts.

    Args:
        pairs: of `solvers.klondike.kplus.actions`.
        samples: determinizations for each action.
        level: nesting of the rollouts.
        world: determinization of the game, for the tables of the stock.
        first: the first heuristic of the rollouts, H2 or H1; H2 follows H1.
        reading: reading of the rollouts' paper.
    """

    def __init__(
        self,
        pairs: int,
        samples: int,
        level: int,
        world: Determinization,
        first: int = H2,
        reading: RolloutReading = PRUNED,
    ) -> None:
        self.pairs = pairs
        self.samples = samples
        self.planner = Planner(
            Search(
                1 if first == H2 else 2, first, np.array([level, level], dtype=np.int64), *reading
            ),
            world.table._replace(below=np.zeros(52, dtype=np.int64)),
            new_rollout_workspace(),
            np.zeros(52, dtype=np.int64),
            np.zeros(1, dtype=np.int64),
            np.zeros(MOST_ACTIONS, dtype=np.int64),
        )

    def choose(self, observation: Observation, work: PlayerWorkspace) -> int:
        """See `solvers.klondike.players.game.PlanningPlayer`."""
        rng, entered = work.rng.copy(), int(work.counts[STATES])
        while True:
            action = int(hop_kernel.plan(observation, self.pairs, self.samples, work, self.planner))
            if action >= NO_ACTION:
                return action
            work.rng[:], work.counts[STATES] = rng, entered
            self.planner = self.planner._replace(work=with_more_room(self.planner.work))


def _outcomes(
    deals: NDArray[np.uint8],
    game: GameRunner,
    play: Callable[[NDArray[np.uint8]], tuple[bool, int]],
) -> list[Outcome]:
    """One outcome for each deal; `play` returns whether it wins, and the length of the line."""
    game.work.counts[:] = 0
    outcomes = []
    for cards in np.ascontiguousarray(deals):
        start = solving_time()
        won, length = play(cards)
        seconds = solving_time() - start
        moves = game.moves(cards, length)
        outcomes.append(Outcome.of_game(won, moves, int(game.work.counts[STATES]), seconds))
    return outcomes


def _simple(policy: int) -> Callable[[NDArray[np.uint8], KlondikeRules, Values], list[Outcome]]:
    def solve(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
        game = GameRunner(rules, values.get("random_seed", 0))

        def play(cards: NDArray[np.uint8]) -> tuple[bool, int]:
            return game.play_simple(cards, policy, NEEDED)

        return _outcomes(deals, game, play)

    return solve


def _planned(
    player: Callable[[Values, Determinization], PlanningPlayer],
) -> Callable[[NDArray[np.uint8], KlondikeRules, Values], list[Outcome]]:
    def solve(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
        game = GameRunner(rules, values["random_seed"])
        planner = player(values, game.work.world)

        def play(cards: NDArray[np.uint8]) -> tuple[bool, int]:
            return game.play(cards, planner)

        return _outcomes(deals, game, play)

    return solve


def _in_trees(values: Values, _view: Determinization) -> PlanningPlayer:
    return TreePlayer(
        TreeSettings(
            NEEDED,
            values.get("trees", 1),
            values["trajectories"],
            values["width"],
            float(values.get("c", 1)),
        )
    )


def _in_hindsight(values: Values, world: Determinization) -> PlanningPlayer:
    return HindsightPlayer(NEEDED, values["samples"], values["level"], world)


_SEED = Parameter("random_seed", 0, 0, 2**31 - 1, "seed of the random generator")


def _trajectories(default: int) -> Parameter:
    return Parameter("trajectories", default, 1, 10_000_000, "trajectories for each tree")


def _trees(default: int) -> Parameter:
    return Parameter("trees", default, 1, 100_000, "trees for a decision, averaged")


def _width(default: int) -> Parameter:
    return Parameter("width", default, 1, 1_000, "outcomes sampled for an action")


def _method(
    slug: str,
    summary: str,
    section: str,
    parameters: tuple[Parameter, ...],
    solve: Callable[[NDArray[np.uint8], KlondikeRules, Values], list[Outcome]],
    cost: Callable[[Values], float],
    version: int = 1,
) -> Method:
    """Make an entry of the registry; `cost` is the milliseconds of a game."""
    return Method(
        slug=slug,
        version=version,
        summary=summary,
        game="klondike",
        sees="observation",
        source=f"Bjarnason, Fern, Tadepalli 2009, {section}",
        parameters=parameters,
        rulesets=RULESETS,
        plays=plays,
        chunk=chunk_for(cost),
        solve=solve,
    )


def _tree_method(
    slug: str, summary: str, section: str, *parameters: Parameter, width: int | None = None
) -> Method:
    """Make an entry for a planner by trees; `width` is given if it is not a parameter."""

    def player(values: Values, world: Determinization) -> PlanningPlayer:
        return _in_trees(values if width is None else {**values, "width": width}, world)

    return _method(
        slug,
        summary,
        section,
        (*parameters, _SEED),
        _planned(player),
        lambda values: 0.25 * values["trajectories"] * values.get("trees", 1),
    )


RANDOM_PLAYER = _method(
    "random",
    "Any allowed action with the same chance; sees no face-down card",
    "section Planning in Klondike",
    (_SEED,),
    _simple(RANDOM),
    lambda values: 0.05,
)
GREEDY_PLAYER = _method(
    "greedy",
    "The first action in the paper's order of preference; sees no face-down card",
    "section Planning in Klondike",
    (),
    _simple(GREEDY),
    lambda values: 0.05,
)
HOP = _method(
    "hop",
    "Hindsight optimization: nested rollouts on shuffled hidden cards",
    "section Hindsight Optimization",
    (
        Parameter("samples", 10, 1, 100_000, "determinizations for each action"),
        Parameter("level", 0, 0, MOST_NESTING, "nesting of the rollouts"),
        _SEED,
    ),
    _planned(_in_hindsight),
    lambda values: 4.0 * values["samples"] * 8.0 ** values["level"],
    version=2,
)
UCT = _tree_method(
    "uct",
    "One tree of upper confidence bounds; sees no face-down card",
    "section UCT",
    _trajectories(1000),
    Parameter("c", 1, 0, 1_000, "exploration constant"),
    width=0,
)
SPARSE_UCT = _tree_method(
    "sparse-uct",
    "UCT with a limited number of outcomes for each action",
    "Algorithm 1",
    _trajectories(1000),
    _width(5),
)
HOP_UCT = _tree_method(
    "hop-uct",
    "Hindsight optimization over UCT trees of one outcome for each action",
    "section Combining UCT with HOP",
    _trajectories(100),
    _trees(20),
    width=1,
)
ENSEMBLE_UCT = _tree_method(
    "ensemble-uct",
    "Several UCT trees, averaged",
    "section Combining UCT with HOP",
    _trajectories(200),
    _trees(20),
    width=0,
)
ENSEMBLE_SPARSE_UCT = _tree_method(
    "ensemble-sparse-uct",
    "Several UCT trees with a limited number of outcomes for each action, averaged",
    "section Sparse UCT",
    _trajectories(50),
    _trees(50),
    _width(2),
)
