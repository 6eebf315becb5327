"""Levels of puzzles: how often players of graded strength find the play that keeps the win.

The players are those of the ruleset's ladder (`solvers.choice.ladder`) that advise, which see no
face-down card. Each chooses at the position with some random seeds, and how often it finds the play
is to a puzzle what games won are to a deal: the model of Rasch (`catalogue.difficulty.rasch`) with
the same players, fitted to puzzles, gives each a difficulty in logits. Abilities are those at
puzzles, which differ less than those at whole deals do. Levels are tenths of the puzzles of the
fit.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from catalogue.difficulty.rasch import GameCounts, Model, Reals, Whole, fit
from engine.errors import BadInput
from engine.game import Move, Position, PuzzlePlays
from engine.games import game_of
from solvers.solver import Solver, configure, parse_solver

# Choices of each player at a position, with the random seeds from 1 on.
CHOICES = 8
LEVELS = 10
# Puzzles as hard as the limit of a level belong to the easier one: many puzzles are found always.
_TIE = 1e-6
# Moves that can be taken back which a player may make before it chooses, in pieces of advice.
_PATIENCE = 4


@dataclass(frozen=True, slots=True)
class PuzzleModel:
    """The model of a ruleset's puzzles.

    Attributes:
        players: as text, without the random seed.
        rasch: the fitted numbers, without features.
        limits: float64[9], the difficulties at which levels 2 to 10 begin.
    """

    players: tuple[str, ...]
    rasch: Model
    limits: Reals

    def level(self, finds: Sequence[int]) -> int:
        """The level, 1 to 10, of a puzzle by how often each player found the play."""
        won = np.array([finds], dtype=np.int64)
        (difficulty,), _ = self.difficulty(won)
        return int(np.searchsorted(self.limits, difficulty - _TIE, side="right")) + 1

    def difficulty(self, finds: Whole) -> tuple[Reals, Reals]:
        """Difficulty and deviation of n puzzles by int64[n, p] finds of the players."""
        return self.rasch.rate(
            GameCounts(finds, np.full_like(finds, CHOICES)), np.zeros(len(finds))
        )


def fitted(players: Sequence[str], finds: Whole) -> PuzzleModel:
    """The model of puzzles by how often players found the play, int64[n, p] of `CHOICES`."""
    rasch = fit(GameCounts(finds, np.full_like(finds, CHOICES)), np.zeros((len(finds), 0)))
    model = PuzzleModel(tuple(players), rasch, np.zeros(0))
    difficulty, _ = model.difficulty(finds)
    tenths = np.arange(1, LEVELS) / LEVELS
    return PuzzleModel(model.players, rasch, np.quantile(difficulty, tenths))


@cache
def shipped_puzzle_model(ruleset: str) -> PuzzleModel | None:
    """The shipped model of a ruleset's puzzles, given by its slug; None if there is none that fits.

    Raises:
        BadInput: the file is damaged.
    """
    file = files("catalogue.difficulty") / "puzzle_models" / f"{ruleset}.json"
    if not file.is_file():
        return None
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if data["choices"] != CHOICES:
            return None  # it rests on another number of games of each player
        abilities = np.array([each["ability"] for each in data["players"]])
        errors = np.array([each["error"] for each in data["players"]])
        rasch = Model(abilities, errors, np.zeros(0), np.zeros(0), float(data["spread"]), 0.0)
        names = tuple(str(each["name"]) for each in data["players"])
        return PuzzleModel(names, rasch, np.array(data["limits"], dtype=np.float64))
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"the model of puzzles is damaged: {error}") from None


def columns_of(model: PuzzleModel) -> dict[str, Any]:
    """The numbers of a model, as its file has them."""
    players = zip(
        model.players, model.rasch.abilities.tolist(), model.rasch.errors.tolist(), strict=True
    )
    return {
        "choices": CHOICES,
        "players": [
            {"name": name, "ability": ability, "error": error} for name, ability, error in players
        ],
        "spread": model.rasch.spread,
        "limits": model.limits.tolist(),
    }


def finds_of(position: Position, solution: Sequence[Move], players: Sequence[str]) -> list[int]:
    """How often each player finds the play of a puzzle in `CHOICES` choices.

    Args:
        position: of the puzzle.
        solution: the play that keeps the win, by whose card it is known.
        players: as text, without the random seed.
    """
    load = game_of(position.rules).load_puzzles
    assert load is not None, "a game with puzzles has plays for them"
    plays = load()
    card = plays.card_of(position, solution)
    found = []
    for text in players:
        player = parse_solver(text)
        cards = (_choice(position, _seeded(player, number + 1), plays) for number in range(CHOICES))
        found.append(sum(each == card for each in cards))
    return found


def _seeded(player: Solver, seed: int) -> Solver:
    return configure(player.method, {**dict(player.values), "random_seed": seed})


def _choice(position: Position, player: Solver, plays: PuzzlePlays) -> str | None:
    """The card that a player moves for good from what it sees of a position."""
    made: list[Move] = []
    table = position
    for _ in range(_PATIENCE):
        advice = player.advise(table.observation(), table.rules)
        for move in advice[0].moves if advice else ():
            is_for_good = plays.is_for_good(table, move)
            made.append(move)
            if is_for_good:
                return plays.card_of(position, made)
            table = table.play(move)
    return None
