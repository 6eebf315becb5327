"""Fixtures of the games under test, and of a catalogue of them all that real jobs filled."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from catalogue import store
from catalogue.jobs.queue import submit
from engine.dealing.dealers import Sample, parse_sample
from engine.game import Game, Rules
from engine.games import get_game
from engine.rulesets import parse_ruleset
from patience import SECONDS
from plug_in import installed
from solvers.choice import default_player, default_solver
from solvers.solver import parse_solver

pytest.register_assert_rewrite("conformance.checks")

# Of the games that are files of data one of each kind: cells, a reserve and forced moves, a hole,
# the stock in rows and two decks, an accordion, rows.
PATIENCE = ("freecell", "canfield", "golf", "patience-spider", "accordion", "gaps")
# Those with code of their own, one of them added by a package.
SLUGS = ("klondike", "spider", "black-hole")
SAMPLE = "thoughtful-1:0-5"
# Ruleset and solver that win some deals of the sample, of games whose defaults win none.
WINNING = {"spider": ("spider-1", "monkey(level=3, period=50)")}


@dataclass(frozen=True, slots=True)
class Stored:
    """A catalogue with outcomes of every game.

    Attributes:
        path: its SQLite file.
        sample: the seeds.
        plan: for each game the ruleset and the solvers, the last of them a player.
    """

    path: Path
    sample: Sample
    plan: dict[str, tuple[Rules, tuple[str, ...]]]

    @property
    def url(self) -> str:
        return f"sqlite:///{self.path}"


@pytest.fixture(autouse=True)
def _installed() -> Iterator[None]:
    """The package of the third game is there for each test of this folder, and no other."""
    with installed():
        yield


@pytest.fixture(params=SLUGS)
def game(request: pytest.FixtureRequest) -> Game:
    """Each game in turn."""
    return get_game(request.param)


@pytest.fixture(scope="session")
def stored(tmp_path_factory: pytest.TempPathFactory, initialised_sqlite: Path) -> Stored:
    """A catalogue that one runner filled by a job of each game."""
    path = tmp_path_factory.mktemp("conformance") / "thoughtful.db"
    shutil.copy(initialised_sqlite, path)
    sample = parse_sample(SAMPLE)
    plan = {}
    with installed(), store.open_catalogue(f"sqlite:///{path}") as catalogue:
        for game in map(get_game, SLUGS):
            rules = parse_ruleset(game.rulesets.default)
            solver = default_solver(rules)
            if game.slug in WINNING:
                slug, text = WINNING[game.slug]
                rules, solver = parse_ruleset(slug), parse_solver(text)
            solvers = (str(solver), str(default_player(rules)))
            submit(catalogue, rules.slug, sample, solvers)
            plan[game.slug] = (rules, solvers)
        # As a process of its own, which finds the game of the package by itself.
        subprocess.run(
            [sys.executable, "-m", "thoughtful", "runner", "--workers", "1"],
            env={**os.environ, "THOUGHTFUL_DATABASE_URL": f"sqlite:///{path}"},
            check=True,
            capture_output=True,
            timeout=SECONDS,
        )
    return Stored(path, sample, plan)
