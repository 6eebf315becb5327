"""Tasks of a visitor from beginning to end, on real data.

Pasting a game and seeing how to win it is in `test_check.py`.
"""

import csv
import json
import re
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from browsing import choose, settle, unfold
from patience import wait_until

pytestmark = pytest.mark.thorough

DEAL, RULES = "thoughtful-1:42", "klondike-draw3"
Sql = Callable[..., list[tuple[Any, ...]]]


def analysed(address: str, moves: list[str]) -> dict[str, Any]:
    """The position after these moves with all verdicts, from the server."""
    body = json.dumps({"rules": RULES, "deal": DEAL, "moves": moves}).encode()

    def content() -> dict[str, Any] | None:
        request = urllib.request.Request(f"{address}/api/board/analysis", body)
        with urllib.request.urlopen(request) as answer:
            found: dict[str, Any] = json.load(answer)
        return found if found["complete"] else None

    return wait_until(content, "all verdicts are known") or {}


def lost_game(address: str) -> tuple[list[str], int]:
    """A game that keeps the win for a while, then loses it; and the number of the losing move."""
    line: list[str] = []
    while True:
        moves = analysed(address, line)["moves"]
        losing = [move["name"] for move in moves if move["verdict"] == "unwinnable"]
        if losing and len(line) >= 5:
            break
        line.append(next(move["name"] for move in moves if move["verdict"] == "winnable"))
    number = len(line) + 1
    line.append(losing[0])
    for _ in range(4):
        if moves := analysed(address, line)["moves"]:
            line.append(moves[-1]["name"])
    return line, number


def test_find_where_i_lost(page: Page, dashboard: str) -> None:
    line, number = lost_game(dashboard)
    played = "+".join(line)
    page.goto(f"{dashboard}/?deal={DEAL}&rules={RULES}&view=board&line={played}")
    count, gauge = page.get_by_test_id("count"), page.get_by_test_id("gauge")
    expect(count).to_have_text(f"{len(line)} / {len(line)}")
    expect(gauge).to_have_attribute("data-verdict", "unwinnable")
    # Back by the keyboard alone until the game can be won again: the next move lost it.
    page.get_by_test_id("stage").focus()
    for left in range(len(line) - 1, number - 2, -1):
        page.keyboard.press("ArrowLeft")
        expect(count).to_have_text(f"{left} / {len(line)}")
        verdict = "winnable" if left < number else "unwinnable"
        expect(gauge).to_have_attribute("data-verdict", verdict)
    expect(page.get_by_test_id("sentence")).to_contain_text("Winnable from here.")
    lost_by = page.locator(f'[data-testid=choices] [data-move="{line[number - 1]}"]')
    expect(lost_by).to_have_attribute("data-verdict", "unwinnable")
    # And from there the win is one key away.
    page.keyboard.press("w")
    expect(page.locator("[data-testid=line] .step")).not_to_have_count(len(line))
    page.get_by_test_id("board").get_by_role("button", name="Last position").click()
    expect(page.get_by_test_id("sentence")).to_contain_text("Won.")


def test_compare_two_solvers(page: Page, dashboard: str, sql: Sql) -> None:
    page.goto(dashboard)
    settle(page)
    page.get_by_role("link", name="Compare solvers", exact=True).click()
    cell = page.get_by_test_id("won-and-not-won").locator("tbody tr:nth-child(2) td:nth-child(2)")
    expect(cell).to_be_visible()
    result = page.locator(".st-key-result")
    expect(result).to_have_text(
        re.compile(r"^dead-end won 0 of 120, exact \d+: exact is better, almost certainly\.$")
    )
    test = page.get_by_text(re.compile("McNemar's exact test"))
    expect(test).to_be_hidden()
    unfold(page, "How sure that is")
    expect(test).to_be_visible()
    choose(page, "Cell", "first not won, second won")
    listed = page.get_by_test_id("deals-of-the-cell").locator("tbody tr")
    expect(listed.first).to_be_visible()
    deal = listed.first.locator("a").inner_text()
    listed.first.locator("a").click()
    unfold(page, "All outcomes")
    expect(page.get_by_test_id("outcomes")).to_be_visible()
    results = dict(
        sql(
            "SELECT s.method, o.result FROM outcome o JOIN deal d ON d.id = o.deal_id "
            "JOIN solver s ON s.id = o.solver_id JOIN ruleset r ON r.id = o.ruleset_id "
            "WHERE r.slug = ? AND d.seed = ?",
            RULES,
            int(deal.rpartition(":")[2]),
        )
    )
    assert results["dead-end"] != "won"
    assert results["exact"] == "won"


def test_download_what_i_see(page: Page, dashboard: str, sql: Sql) -> None:
    page.goto(f"{dashboard}/compare")
    expect(page.get_by_test_id("won-and-not-won")).to_be_visible()
    settle(page)
    button = page.locator(".st-key-save-wins-by-cost-csv").get_by_role("button")
    with page.expect_download() as started:
        button.click()
    assert started.value.suggested_filename == "wins-by-cost.csv"
    rows = list(csv.DictReader(started.value.path().read_text().splitlines()))
    wins = {}
    for row in rows:
        wins[row["solver"].split()[0].partition("(")[0]] = int(row["won"])  # the curve's end
    assert wins == dict(
        sql(
            "SELECT s.method, sum(o.result = 'won') FROM outcome o "
            "JOIN solver s ON s.id = o.solver_id JOIN ruleset r ON r.id = o.ruleset_id "
            "WHERE r.slug = ? GROUP BY s.method",
            RULES,
        )
    )


def test_watch_a_job_finish(
    page: Page,
    served: Callable[[str], str],
    empty: Path,
    run_jobs: Callable[[Path], None],
) -> None:
    page.goto(f"{served(f'sqlite:///{empty}')}/jobs")
    expect(page.get_by_text("No jobs yet")).to_be_visible()
    settle(page)
    page.get_by_role("textbox", name="Seeds").fill("0-19")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator(".st-key-job-1")).to_contain_text("0 of 20 outcomes")
    run_jobs(empty)
    # The page follows by itself.
    expect(page.get_by_test_id("finished-jobs")).to_contain_text("20 of 20")
    expect(page.locator(".st-key-job-1")).to_have_count(0)
