"""A small catalogue whose outcomes are real."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import thoughtful
from catalogue.blocks import EVERYTHING
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.packed import pack
from catalogue.outcomes.writing import write_chunks
from engine.dealing.dealers import get_dealer
from engine.rulesets import parse_ruleset
from solvers.solver import parse_solver

RULES = "klondike-draw3"
DEALS = 40


@pytest.fixture(scope="session")
def filled_file(tmp_path_factory: pytest.TempPathFactory, initialised_sqlite: Path) -> Path:
    path = tmp_path_factory.mktemp("package") / "small.db"
    shutil.copy(initialised_sqlite, path)
    rules, seeds = parse_ruleset(RULES), tuple(range(DEALS))
    cards = get_dealer("thoughtful-1").deal_block(0, DEALS)
    solvers = [parse_solver("dead-end"), parse_solver("exact")]
    done = tuple((SolverKey.of(each), tuple(each.solve(cards, rules))) for each in solvers)
    with thoughtful.catalogue(f"sqlite:///{path}") as cat, cat.store.begin() as session:
        write_chunks(session, [pack(Chunk(rules, "thoughtful-1", seeds, cards, done), EVERYTHING)])
    return path


@pytest.fixture
def cat(filled_file: Path, tmp_path: Path) -> Iterator[thoughtful.Catalogue]:
    shutil.copy(filled_file, tmp_path / "mine.db")
    with thoughtful.catalogue(f"sqlite:///{tmp_path / 'mine.db'}") as opened:
        yield opened
