"""Learn the value of what is seen of Klondike: by which `exact-uct(value=1)` values leaves, too.

    python benchmarks/seen_value.py play  GAMES.npz [--rules klondike-draw3] [--games 12000]
    python benchmarks/seen_value.py train GAMES.npz [--output FILE]

`play`: `exact-uct` plays the deals of `--dealer` from `--first` on. In six of ten games one
decision, drawn at random, is replaced by a random one, and what came before it is not used, so that
positions are met which the player avoids. Of each later decision the features are kept
(`solvers/klondike/players/seen_value.py`) and whether the game was won. `train`: a network is
fitted to them by Adam on the games whose seed is not a multiple of ten; the others tell when to
stop, and are printed as a table of said and seen shares. Both repeat: the same games and the same
seed give the same weights on one machine. numpy suffices.
"""

import argparse
import itertools
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
from solvers.klondike.players.exact_uct import ExactUctPlayer, play_deal
from solvers.klondike.players.exact_uct_search import UctSettings
from solvers.klondike.players.seen_value import (
    FEATURES,
    LAYERS,
    digest,
    load_weights,
    write_features,
)

Floats = NDArray[np.float64]

_EXPLORATION, _NODES = 0.5, 1_000
_RANDOM, _LATEST = 0.6, 50  # share of games with a random decision, and before which one
_CHUNK = 100
_BATCH, _RATE, _SHRINK, _PATIENCE = 256, 5e-4, 3e-4, 5


class Recipe(NamedTuple):
    """How games are played."""

    rules: KlondikeRules
    dealer: str
    trajectories: int
    value: int


class Examples(NamedTuple):
    """Positions of games: features float32[n, FEATURES], won bool[n], seeds int64[n]."""

    features: NDArray[np.float32]
    won: NDArray[np.bool_]
    seeds: NDArray[np.int64]


def play_game(cards: NDArray[np.uint8], seed: int, player: ExactUctPlayer) -> Examples:
    """Play a deal and keep its decisions."""
    chooser = np.random.default_rng(seed)
    random_at = int(chooser.integers(_LATEST)) if chooser.random() < _RANDOM else -1
    rows: list[NDArray[np.float32]] = []
    work, decisions = player.work, 0

    def choose() -> int:
        nonlocal decisions
        steps = player.steps()
        number = decisions
        is_decision = len(steps) > 1
        decisions += is_decision
        if is_decision and player.position.brought < 0 and number > random_at:
            work.steps[: len(steps)] = steps
            write_features(player.position, work.steps, len(steps), work.known, work.value)
            rows.append(work.value.features.astype(np.float32))
        edge = player.choose()
        if is_decision and number == random_at:
            return player.edges_of(player.node)[int(chooser.integers(len(steps)))]
        return edge

    won, _ = play_deal(cards, player, 0, choose)
    count = len(rows)
    features = np.array(rows, dtype=np.float32).reshape(count, FEATURES)
    return Examples(features, np.full(count, won), np.full(count, seed))


def play_games(recipe: Recipe, seeds: range) -> Examples:
    """Play the deals of a range of seeds."""
    settings = UctSettings(
        recipe.rules.draw, recipe.trajectories, _EXPLORATION, _NODES, bool(recipe.value)
    )
    player = ExactUctPlayer(settings)
    if recipe.value:
        player.work.value.weights[:] = load_weights(recipe.rules.slug)
    deals = get_dealer(recipe.dealer).deal_block(seeds.start, len(seeds), KLONDIKE)
    games = [play_game(cards, seed, player) for cards, seed in zip(deals, seeds, strict=True)]
    return Examples(*map(np.concatenate, zip(*games, strict=True)))


def play_all(asked: argparse.Namespace) -> None:
    """Play games on all workers and write their examples."""
    recipe = Recipe(parse_klondike(asked.rules), asked.dealer, asked.trajectories, asked.value)
    end = asked.first + asked.games
    chunks = [range(at, min(at + _CHUNK, end)) for at in range(asked.first, end, _CHUNK)]
    asked.games_file.touch()  # fails before the games rather than after them
    since, parts = time.perf_counter(), list[Examples]()
    with ProcessPoolExecutor(asked.workers, initializer=begin_worker) as pool:
        for part in pool.map(partial(play_games, recipe), chunks):
            parts.append(part)
            if len(parts) % 10 == 0:
                print(
                    f"{_CHUNK * len(parts):,} games, {time.perf_counter() - since:.0f} s",
                    flush=True,
                )
    found = Examples(*map(np.concatenate, zip(*parts, strict=True)))
    made = recipe._asdict() | {
        "rules": recipe.rules.slug,
        "first": asked.first,
        "games": asked.games,
    }
    np.savez_compressed(asked.games_file, recipe=json.dumps(made), **found._asdict())
    print(
        f"{asked.games:,} games, {len(found.won):,} positions, {100 * found.won.mean():.1f} % won"
    )


class Network:
    """The network while it is trained: weights and biases of its three layers in turn."""

    def __init__(self, chooser: np.random.Generator) -> None:
        sizes = (FEATURES, *LAYERS, 1)
        self.parts: list[Floats] = []
        for given, found in itertools.pairwise(sizes):
            self.parts += [chooser.normal(0, (2 / given) ** 0.5, (given, found)), np.zeros(found)]

    def outputs(self, given: Floats) -> tuple[Floats, Floats, Floats]:
        """The values of both hidden layers, and the logits."""
        one, one_bias, two, two_bias, last, bias = self.parts
        first = np.maximum(given @ one + one_bias, 0)
        second = np.maximum(first @ two + two_bias, 0)
        return first, second, (second @ last + bias)[:, 0]

    def slopes(self, given: Floats, won: Floats) -> list[Floats]:
        """The gradient of the mean cross entropy."""
        first, second, logits = self.outputs(given)
        error = ((1 / (1 + np.exp(-logits)) - won) / len(won))[:, None]
        of_second = (error @ self.parts[4].T) * (second > 0)
        of_first = (of_second @ self.parts[2].T) * (first > 0)
        return [
            given.T @ of_first, of_first.sum(0), first.T @ of_second, of_second.sum(0),
            second.T @ error, error.sum(0),
        ]  # fmt: skip

    def loss(self, given: Floats, won: Floats) -> float:
        """The mean cross entropy."""
        logits = self.outputs(given)[2]
        return float(np.mean(np.logaddexp(0, logits) - won * logits))


def fit(examples: Examples, chooser: np.random.Generator) -> tuple[Network, float]:
    """Fit a network, which takes raw features, and print how; it and its loss on games held out."""
    given, won = examples.features.astype(np.float64), examples.won.astype(np.float64)
    held_out = examples.seeds % 10 == 0
    mean, spread = given[~held_out].mean(0), given[~held_out].std(0) + 1e-6
    scaled = (given - mean) / spread
    network = Network(chooser)
    moments = [[np.zeros_like(part) for part in network.parts] for _ in range(2)]
    learned, best, kept, since = np.flatnonzero(~held_out), 1e9, network.parts, 0
    step = 0
    for epoch in range(40):
        chooser.shuffle(learned)
        for at in range(0, len(learned), _BATCH):
            rows = learned[at : at + _BATCH]
            step += 1
            slopes = network.slopes(scaled[rows], won[rows])
            for part, slope, first, second in zip(network.parts, slopes, *moments, strict=True):
                slope = slope + _SHRINK * part
                first += 0.1 * (slope - first)
                second += 0.001 * (slope**2 - second)
                pace = first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
                part -= _RATE * 0.85**epoch * pace
        loss = network.loss(scaled[held_out], won[held_out])
        own = network.loss(scaled[learned], won[learned])
        print(f"epoch {epoch}: loss {own:.4f}, of games held out {loss:.4f}")
        since += 1
        if loss < best:
            best, kept, since = loss, [part.copy() for part in network.parts], 0
        if since == _PATIENCE:
            break
    network.parts = kept
    network.parts[1] = network.parts[1] - (mean / spread) @ network.parts[0]
    network.parts[0] = network.parts[0] / spread[:, None]
    print_calibration(network, given[held_out], won[held_out])
    return network, best


def print_calibration(network: Network, given: Floats, won: Floats) -> None:
    """Print what the network says of positions, and how many of them were won."""
    chances = 1 / (1 + np.exp(-network.outputs(given)[2]))
    for low in np.arange(0, 1, 0.1):
        within = (chances >= low) & (chances < low + 0.1)
        if within.any():
            said, seen = 100 * chances[within].mean(), 100 * won[within].mean()
            print(f"said {said:.1f} %: won {seen:.1f} % of {within.sum():,}")


def train(asked: argparse.Namespace) -> None:
    """Train a network and write its weights."""
    try:
        with np.load(asked.games_file) as data:
            examples = Examples(data["features"], data["won"], data["seeds"])
            recipe: dict[str, Any] = json.loads(str(data["recipe"]))
    except (ValueError, KeyError, EOFError, BadZipFile):
        raise BadInput(f"{asked.games_file} has no games of this program") from None
    since = time.perf_counter()
    network, loss = fit(examples, np.random.default_rng(asked.seed))
    weights = [float(f"{weight:.6g}") for part in network.parts for weight in part.ravel()]
    made = this_provenance()
    columns = {
        "ruleset": recipe.pop("rules"),
        "games": recipe,
        "positions": len(examples.won),
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
    parser.add_argument("games_file", type=Path)
    parser.add_argument("--rules", default="klondike-draw3")
    parser.add_argument("--dealer", default="thoughtful-1")
    parser.add_argument("--first", type=int, default=5_000_000, help="seed of the first deal")
    parser.add_argument("--games", type=int, default=12_000)
    parser.add_argument("--trajectories", type=int, default=250)
    parser.add_argument("--value", type=int, choices=(0, 1), default=0, help="as of exact-uct")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0, help="of the training")
    parser.add_argument("--output", type=Path, help="where the weights go")
    asked = parser.parse_args(arguments)
    if min(asked.games, asked.trajectories, asked.workers) < 1:
        parser.error("at least one game, one trajectory and one worker are needed")
    try:
        parts[asked.part](asked)
    except (BadInput, OSError) as error:
        parser.error(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
