"""Learn the policy of steps with which `policy-uct` plays.

    python benchmarks/step_policy.py play  GAMES.npz [--rules klondike-draw3] [--games 3000]
    python benchmarks/step_policy.py train GAMES.npz [GAMES.npz …] [--output FILE]

`play`: the search plays the deals of `--dealer` from `--first` on, with the policy in `--policy` if
one is given. Of each decision the features of every step are kept
(`solvers/klondike/players/step_policy.py`) and the share of its trajectories that were won, with
the policy's part in it. `train`: a network is fitted by Adam to the games whose seed is no multiple
of ten, so that its logits tell the differences of these shares; the others tell when to stop, and
are printed. Both repeat: the same games and the same seed give the same weights on one
machine. numpy suffices.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from catalogue.interrupts import begin_worker
from catalogue.outcomes.provenance import this_provenance
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.klondike import GAME as KLONDIKE
from engine.klondike.rules import KlondikeRules, parse_klondike
from solvers.klondike.players import exact_uct_search as kernel
from solvers.klondike.players.exact_uct_player import EXPLORATION, ExactUctPlayer, play_deal
from solvers.klondike.players.exact_uct_search import UctSettings
from solvers.klondike.players.policy_uct import INNER_PRIOR, PRIOR, UNDECIDED
from solvers.klondike.players.step_policy import FEATURES, HIDDEN, SCALE, digest, read_weights
from solvers.search_tree import PARTS, TIMES, WINS

Floats = NDArray[np.float64]

_CHUNK = 100
_HELD_OUT = 10  # one game of so many
# Adam's: decisions of a batch, its pace and what is left of it after an epoch, the pull to 0.
_BATCH, _RATE, _DECAY, _SHRINK, _EPOCHS = 64, 2e-3, 0.85, 1e-4, 16


class Recipe(NamedTuple):
    """How games are played."""

    rules: KlondikeRules
    dealer: str
    trajectories: int
    nodes: int
    policy: Path | None


class Examples(NamedTuple):
    """Decisions of games: of each step float32[n, FEATURES], its share float32[n]; others int[n].

    decisions: the number of its decision; seeds: that of the deal.
    """

    features: NDArray[np.float32]
    shares: NDArray[np.float32]
    decisions: NDArray[np.int64]
    seeds: NDArray[np.int64]


def shares_of(player: ExactUctPlayer, edges: range, logits: Floats) -> Floats:
    """The share won by each step of a decision, with the part of the policy that played."""
    table = player.tree.edges[edges.start : edges.stop]
    times = table[:, TIMES].astype(np.float64)
    shares = table[:, WINS] / (PARTS * np.maximum(times, 1))
    prior = player.settings.prior
    # By the mean of all steps: unlike in advice, none of them is the best one yet.
    rated = shares.mean() + SCALE * (logits - logits.mean())
    found: Floats = (times * shares + prior * rated) / np.maximum(times + prior, 1)
    return found


def play_games(recipe: Recipe, seeds: range) -> Examples:
    """Play the deals of a range of seeds."""
    draw = recipe.rules.draw
    priors = (0, 0) if recipe.policy is None else (PRIOR, INNER_PRIOR.get(draw, 0))
    player = ExactUctPlayer(
        UctSettings(draw, recipe.trajectories, EXPLORATION, recipe.nodes, UNDECIDED, *priors)
    )
    if recipe.policy is not None:
        player.work.policy.weights[:] = read_weights(recipe.policy.read_text())
    rows: list[NDArray[np.float32]] = []
    shares: list[Floats] = []
    row_seeds: list[int] = []

    def choose() -> int:
        edge = player.choose()
        edges = player.edges_of(player.node)
        if len(edges) > 1 and player.position.brought < 0:
            logits = np.zeros(len(edges))
            for number, step in enumerate(player.steps()):
                logits[number] = kernel.rate(player.position, step, draw, player.work)
                rows.append(player.work.policy.features.astype(np.float32))
            shares.append(shares_of(player, edges, logits))
        return edge

    deals = get_dealer(recipe.dealer).deal_block(seeds.start, len(seeds), KLONDIKE)
    for seed, cards in zip(seeds, deals, strict=True):
        play_deal(cards, player, 0, choose)
        row_seeds += [seed] * (len(rows) - len(row_seeds))
    return Examples(
        np.array(rows, dtype=np.float32).reshape(len(rows), FEATURES),
        np.concatenate([np.zeros(0), *shares]).astype(np.float32),
        np.repeat(np.arange(len(shares)), np.array([len(each) for each in shares], dtype=int)),
        np.array(row_seeds, dtype=np.int64),
    )


def play_all(asked: argparse.Namespace) -> None:
    """Play games on all workers and write their examples."""
    if asked.policy is not None:
        read_weights(asked.policy.read_text())
    recipe = Recipe(
        parse_klondike(asked.rules), asked.dealer, asked.trajectories, asked.nodes, asked.policy
    )
    end = asked.first + asked.games
    chunks = [range(at, min(at + _CHUNK, end)) for at in range(asked.first, end, _CHUNK)]
    (asked.games_file,) = asked.games_files
    if asked.games_file.suffix != ".npz":
        raise BadInput(f"{asked.games_file}: a file of games ends in .npz")
    asked.games_file.touch()  # fails before the games rather than after them
    since, parts = time.perf_counter(), list[Examples]()
    with ProcessPoolExecutor(asked.workers, initializer=begin_worker) as pool:
        for part in pool.map(partial(play_games, recipe), chunks):
            parts.append(part)
            if len(parts) % 5 == 0:
                print(
                    f"{_CHUNK * len(parts):,} games, {time.perf_counter() - since:.0f} s",
                    flush=True,
                )
    found = together(parts)
    made = recipe._asdict() | {
        "rules": recipe.rules.slug,
        "first": asked.first,
        "games": asked.games,
        "prior": 0 if asked.policy is None else PRIOR,
        "inner_prior": 0 if asked.policy is None else INNER_PRIOR.get(recipe.rules.draw, 0),
        "undecided": UNDECIDED / PARTS,
        "exploration": EXPLORATION,
        "program": this_provenance().revision,
        "policy": None if asked.policy is None else json.loads(asked.policy.read_text())["sha256"],
    }
    np.savez_compressed(asked.games_file, recipe=json.dumps(made), **found._asdict())
    print(f"{asked.games:,} games, {len(np.unique(found.decisions)):,} decisions")


def together(parts: Sequence[Examples]) -> Examples:
    """The examples of several runs, with decisions numbered through."""
    numbered, used = [], 0
    for part in parts:
        numbered.append(part._replace(decisions=part.decisions + used))
        used += int(part.decisions[-1]) + 1 if len(part.decisions) else 0
    return Examples(*map(np.concatenate, zip(*numbered, strict=True)))


class Network:
    """The network while it is trained: weights, biases and the last layer."""

    def __init__(self, chooser: np.random.Generator) -> None:
        self.parts: list[Floats] = [
            chooser.normal(0, (2 / FEATURES) ** 0.5, (FEATURES, HIDDEN)),
            np.zeros(HIDDEN),
            chooser.normal(0, (2 / HIDDEN) ** 0.5, HIDDEN),
        ]

    def outputs(self, given: Floats) -> tuple[Floats, Floats]:
        """The values of the hidden layer, and the logits."""
        weights, bias, last = self.parts
        hidden = np.maximum(given @ weights + bias, 0)
        return hidden, hidden @ last

    def slopes(self, given: Floats, wanted: Floats, starts: NDArray[np.int64]) -> list[Floats]:
        """The gradient of the mean cross entropy of decisions that begin at `starts`."""
        hidden, logits = self.outputs(given)
        error = (softmax(logits, starts) - wanted) / len(starts)
        of_hidden = np.outer(error, self.parts[2]) * (hidden > 0)
        return [given.T @ of_hidden, of_hidden.sum(0), hidden.T @ error]


def softmax(values: Floats, starts: NDArray[np.int64]) -> Floats:
    """The softmax of the values of each decision."""
    counts = np.diff(np.append(starts, len(values)))
    powers = np.exp(values - np.repeat(np.maximum.reduceat(values, starts), counts))
    found: Floats = powers / np.repeat(np.add.reduceat(powers, starts), counts)
    return found


class Decisions:
    """Examples by decision, scaled, with what their steps should get."""

    def __init__(self, examples: Examples) -> None:
        self.starts = np.flatnonzero(np.diff(examples.decisions, prepend=-1))
        self.ends = np.append(self.starts[1:], len(examples.decisions))
        self.held_out = examples.seeds[self.starts] % _HELD_OUT == 0
        given = examples.features.astype(np.float64)
        self.mean, self.spread = given.mean(0), given.std(0) + 1e-6
        self.given = (given - self.mean) / self.spread
        self.shares = examples.shares.astype(np.float64)
        self.wanted = softmax(self.shares / SCALE, self.starts)

    def batch(self, chosen: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows of some decisions, and where each begins among them."""
        counts = self.ends[chosen] - self.starts[chosen]
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        return np.arange(counts.sum()) + np.repeat(self.starts[chosen] - starts, counts), starts

    def loss(self, network: Network, chosen: NDArray[np.int64]) -> tuple[float, float]:
        """The mean cross entropy of some decisions, and the mean share that its choices lose."""
        rows, starts = self.batch(chosen)
        logits = network.outputs(self.given[rows])[1]
        said = softmax(logits, starts)
        entropy = -(self.wanted[rows] * np.log(said + 1e-12)).sum() / len(chosen)
        lost = [
            shares.max() - shares[each.argmax()]
            for each, shares in zip(
                np.split(logits, starts[1:]), np.split(self.shares[rows], starts[1:]), strict=True
            )
        ]
        return float(entropy), float(np.mean(lost))


def fit(examples: Examples, chooser: np.random.Generator) -> tuple[Network, float]:
    """Fit a network, which takes raw features, and print how; it and its loss held out."""
    data = Decisions(examples)
    learned, held_out = np.flatnonzero(~data.held_out), np.flatnonzero(data.held_out)
    if not len(learned) or not len(held_out):
        raise BadInput(f"training takes {_HELD_OUT} games at least")
    network = Network(chooser)
    moments = [[np.zeros_like(part) for part in network.parts] for _ in range(2)]
    best, kept, step = np.inf, network.parts, 0
    for epoch in range(_EPOCHS):
        chooser.shuffle(learned)
        for at in range(0, len(learned), _BATCH):
            rows, starts = data.batch(learned[at : at + _BATCH])
            step += 1
            slopes = network.slopes(data.given[rows], data.wanted[rows], starts)
            for part, slope, first, second in zip(network.parts, slopes, *moments, strict=True):
                slope = slope + _SHRINK * part
                first += 0.1 * (slope - first)
                second += 0.001 * (slope**2 - second)
                pace = first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
                part -= _RATE * _DECAY**epoch * pace
        loss, lost = data.loss(network, held_out)
        print(f"epoch {epoch}: of games held out loss {loss:.4f}, {100 * lost:.2f} points a choice")
        if loss < best:
            best, kept = loss, [part.copy() for part in network.parts]
    network.parts = kept
    network.parts[1] = network.parts[1] - (data.mean / data.spread) @ network.parts[0]
    network.parts[0] = network.parts[0] / data.spread[:, None]
    return network, best


def read_games(file: Path) -> tuple[Examples, dict[str, Any]]:
    """The examples of a file of games, and their recipe.

    Raises:
        BadInput: it is none.
    """
    try:
        with np.load(file) as data:
            examples = Examples(*(data[name] for name in Examples._fields))
            return examples, json.loads(str(data["recipe"]))
    except (ValueError, KeyError, TypeError, EOFError, BadZipFile):
        raise BadInput(f"{file} has no games of this program") from None


def train(asked: argparse.Namespace) -> None:
    """Train a network and write its weights."""
    parts, recipes = zip(*map(read_games, asked.games_files), strict=True)
    rules = {recipe.pop("rules") for recipe in recipes}
    if len(rules) > 1:
        raise BadInput(f"games of several rulesets: {', '.join(sorted(rules))}")
    since = time.perf_counter()
    examples = together(parts)
    network, loss = fit(examples, np.random.default_rng(asked.seed))
    weights = [float(f"{weight:.6g}") for part in network.parts for weight in part.ravel()]
    made = this_provenance()
    columns = {
        "ruleset": rules.pop(),
        "games": recipes,
        "decisions": int(examples.decisions[-1]) + 1,
        "seed": asked.seed,
        "seconds": round(time.perf_counter() - since),
        "loss_of_games_held_out": round(loss, 4),
        "program": made.program,
        "revision": made.revision,
        "sha256": digest(weights),
        "weights": weights,
    }
    if asked.output is not None:
        asked.output.write_text(json.dumps(columns, indent=1).replace(",\n  ", ", ") + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Play or train."""
    parts = {"play": play_all, "train": train}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=parts)
    parser.add_argument("games_files", type=Path, nargs="+", metavar="GAMES.npz")
    parser.add_argument("--rules", default="klondike-draw3")
    parser.add_argument("--dealer", default="thoughtful-1")
    parser.add_argument("--first", type=int, default=5_100_000, help="seed of the first deal")
    parser.add_argument("--games", type=int, default=3_000)
    parser.add_argument("--trajectories", type=int, default=700)
    parser.add_argument("--nodes", type=int, default=64, help="positions of a leaf")
    parser.add_argument("--policy", type=Path, help="weights of a policy that plays")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0, help="of the training")
    parser.add_argument("--output", type=Path, help="where the weights go")
    asked = parser.parse_args(arguments)
    if min(asked.games, asked.trajectories, asked.nodes, asked.workers) < 1:
        parser.error("at least one game, trajectory, position and worker are needed")
    if asked.part == "play" and len(asked.games_files) > 1:
        parser.error("games are played into one file")
    try:
        parts[asked.part](asked)
    except (BadInput, OSError, UnicodeDecodeError) as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
