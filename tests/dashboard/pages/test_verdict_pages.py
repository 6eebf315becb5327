"""Browser tests of the pages of deals of which only verdicts are kept."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from catalogue import store
from catalogue.blocks import VERDICTS
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.writing import write_chunks
from engine.dealing.dealers import get_dealer
from engine.rulesets import parse_ruleset
from solvers.outcome import Result
from solvers.solver import parse_solver

RULESET = "klondike-draw1"


@pytest.mark.thorough
def test_a_deal_of_verdicts_is_solved_again_and_says_so(
    page: Page, served: Callable[[str], str], initialised_sqlite: Path, tmp_path: Path
) -> None:
    path = tmp_path / "verdicts.db"
    shutil.copy(initialised_sqlite, path)
    rules, solver = parse_ruleset(RULESET), parse_solver("exact(nodes=20000)")
    cards = get_dealer("thoughtful-1").deal_block(0, 30)
    outcomes = tuple(solver.solve(cards.copy(), rules))
    chunk = Chunk(
        rules, "thoughtful-1", tuple(range(30)), cards, ((SolverKey.of(solver), outcomes),)
    )
    with store.open_catalogue(f"sqlite:///{path}") as cat, cat.begin() as session:
        write_chunks(session, [chunk], VERDICTS)
    seed, won = next(
        (seed, outcome)
        for seed, outcome in enumerate(outcomes)
        if outcome.result == Result.WON and outcome.nodes > 20
    )
    address = served(f"sqlite:///{path}")
    page.goto(f"{address}/deals?rules={RULESET}&status=winnable")
    row = page.get_by_test_id("deals").locator("tbody tr").filter(has_text=f"Deal {seed}")
    expect(row.first).to_contain_text(f"{won.nodes:,}")
    page.goto(f"{address}/?deal=thoughtful-1:{seed}&rules={RULESET}")
    expect(page.get_by_text("it has just been solved again")).to_be_visible()
    assert won.moves is not None
    count = page.get_by_test_id("count")
    expect(count).to_have_text(re.compile(r"^0 / [0-9]+$"))
    # What people look at is shortened.
    assert int(count.inner_text().split("/")[1]) <= len(won.moves)
    outcome = page.get_by_test_id("outcomes").locator("tbody tr").first
    expect(outcome).to_contain_text(f"{won.nodes:,}")
    expect(outcome).to_contain_text(re.compile("thoughtful [0-9]"))
