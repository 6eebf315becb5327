"""Tests of Spider beside Klondike in one catalogue, on the same seeds and both databases."""

import io
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from sqlalchemy import func, select, update

from catalogue import store
from catalogue.blocks import UNRESOLVED, WINNABLE
from catalogue.jobs import queue as jobs
from catalogue.jobs.runner import run
from catalogue.outcomes.chunk import Chunk, SolverKey, UnprovedWin
from catalogue.outcomes.compression import compress, decompress
from catalogue.outcomes.writing import OtherCards, write_chunk
from catalogue.pipe import solve_file
from catalogue.reading import bounds, comparison, deal_detail, deal_list, difficulty, overview
from catalogue.reading.block_reader import dealing_of, read_statuses
from catalogue.reading.samples import outcome_counts, stored_deals
from catalogue.schema import (
    DealingRow,
    DealRow,
    OutcomeRow,
    RulesetRow,
    SolutionRow,
    SolverRow,
)
from catalogue.tables.export import export
from catalogue.tables.selection import Selection
from catalogue.verify.running import verify
from engine.cards import parse_card
from engine.dealing.dealers import get_dealer, parse_sample
from engine.errors import BadInput
from engine.games import game_of
from engine.klondike import GAME as KLONDIKE
from engine.klondike.rules import PRESETS
from engine.replay import wins
from engine.rulesets import parse_ruleset
from engine.spider import GAME as SPIDER
from engine.spider.deal import SpiderDeal
from engine.spider.moves import pack_solution
from engine.spider.rules import SpiderRules
from engine.text.deal_lines import InputDeal, write_deal_line
from samples import sizes
from solvers.outcome import Outcome, Result
from solvers.outcome import Outcome as Achieved
from solvers.solver import parse_solver

RULES = SpiderRules(1)
MONKEY = "monkey(level=3, period=50)"
SEEDS = 40
SAMPLE = parse_sample(f"thoughtful-1:0-{SEEDS - 1}")


@cache
def solved(seeds: range, name: str = MONKEY, ruleset: str = "spider-1") -> Chunk:
    rules, solver = parse_ruleset(ruleset), parse_solver(name)
    cards = get_dealer("thoughtful-1").deal_block(seeds.start, len(seeds), game_of(rules))
    outcomes = tuple(solver.solve(cards, rules))
    return Chunk(rules, "thoughtful-1", tuple(seeds), cards, ((SolverKey.of(solver), outcomes),))


@pytest.fixture
def filled(catalogue: store.Catalogue) -> store.Catalogue:
    """Spider by the Monkey, and Klondike by the classifier on the same seeds."""
    with catalogue.begin() as session:
        for chunk in (solved(range(SEEDS)), solved(range(SEEDS), "dead-end", "klondike-draw3")):
            write_chunk(session, chunk)
    return catalogue


@pytest.mark.usefixtures("jobs_here")
def test_jobs_of_two_games_on_the_same_seeds(catalogue: store.Catalogue) -> None:
    filled = catalogue
    jobs.submit(filled, "spider-1", SAMPLE, [MONKEY])
    jobs.submit(filled, "klondike-draw3", SAMPLE, ["dead-end"])
    assert run(filled, workers=1) == 2
    assert [(job.state, job.done) for job in jobs.list_jobs(filled)] == [("done", SEEDS)] * 2
    expected = solved(range(SEEDS)).outcomes[0][1]
    won = {seed for seed, outcome in enumerate(expected) if outcome and outcome.result == "won"}
    assert 0 < len(won) < SEEDS
    with filled.session() as session:
        games = session.execute(
            select(DealingRow.game, func.count())
            .join(DealRow, DealRow.dealing_id == DealingRow.id)
            .group_by(DealingRow.game)
        ).all()
        assert sorted(games) == [("klondike", SEEDS), ("spider", SEEDS)]
        ruleset = session.scalars(select(RulesetRow).where(RulesetRow.slug == "spider-1")).one()
        assert ruleset.game == "spider"
        assert ruleset.options == {"suits": 1, "deal_onto_empty": False}
        for game, row in ((SPIDER, RULES), (KLONDIKE, PRESETS["klondike-draw3"])):
            ruleset_id = session.scalar(select(RulesetRow.id).where(RulesetRow.slug == row.slug))
            assert ruleset_id is not None
            ids = stored_deals(session, ruleset_id, "thoughtful-1", range(SEEDS))
            assert sorted(ids.values()) == list(range(SEEDS))
            stored = session.scalars(
                select(DealingRow.game)
                .join(DealRow, DealRow.dealing_id == DealingRow.id)
                .where(DealRow.id.in_(ids))
            )
            assert set(stored) == {game.slug}
        solver_id = session.scalar(select(SolverRow.id).where(SolverRow.method == "monkey"))
        assert solver_id is not None
        # Fewer than a block of seeds: looked up deal by deal.
        counted = outcome_counts(session, ruleset.id, solver_id, "thoughtful-1", 0, SEEDS)
        assert (counted.attempted, counted.won) == (SEEDS, len(won))
    [point] = bounds.latest(filled, "spider-1")
    assert (point.n, point.winnable, point.unwinnable) == (SEEDS, len(won), 0)
    assert difficulty.difficulty(filled, "spider-1").sample == SAMPLE


def test_a_win_of_a_player_proves_winnable(filled: store.Catalogue) -> None:
    with filled.session() as session:
        ruleset_id = session.scalars(select(RulesetRow.id).where(RulesetRow.game == "spider")).one()
        dealing_id = dealing_of(session, ruleset_id, "thoughtful-1")
        assert dealing_id is not None
        statuses = read_statuses(session, ruleset_id, dealing_id, 0)
        rows = session.execute(
            select(DealRow.seed, OutcomeRow.result, SolutionRow.length)
            .join(OutcomeRow, OutcomeRow.deal_id == DealRow.id)
            .outerjoin(SolutionRow, SolutionRow.deal_id == DealRow.id)
            .where(OutcomeRow.ruleset_id == ruleset_id)
        ).all()
    assert len(rows) == SEEDS
    for seed, result, length in rows:
        assert statuses.status[seed] == (WINNABLE if result == "won" else UNRESOLVED)
        assert statuses.length[seed] == (length or 0)


# Some deals take a solver half a minute: of a tenth, which ones is not left to chance.
@pytest.mark.parametrize(("resolve_share", "seed"), sizes((0.1, 3), (1.0, None)))
@pytest.mark.parametrize("backend", sizes("sqlite", "postgresql"))
def test_verify_replays_and_deals_again(
    filled: store.Catalogue, resolve_share: float, seed: int | None
) -> None:
    report = verify(filled, share=1.0, resolve_share=resolve_share, seed=seed)
    assert report.faults == ()
    assert report.checked["cards"] == 2 * SEEDS
    assert report.checked["solution"] > 0
    assert report.checked["verdict"] > 0


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda moves: moves[:-2], "do not end in a win"),
        (lambda _moves: b"\0\0" * 9, "the stock is empty"),
        (lambda moves: moves[:-1], "are not a move of Spider"),
    ],
)
def test_verify_sees_a_wrong_solution(
    filled: store.Catalogue, change: Callable[[bytes], bytes], said: str
) -> None:
    with filled.begin() as session:
        row = session.scalars(select(SolutionRow).limit(1)).one()
        moves = change(decompress(SPIDER.slug, row.moves))
        changed = {"moves": compress(SPIDER.slug, moves), "length": len(moves) // 2}
        deal = session.get_one(DealRow, row.deal_id)
        key = (SolutionRow.deal_id == row.deal_id, SolutionRow.ruleset_id == row.ruleset_id)
        session.execute(update(SolutionRow).where(*key).values(**changed))
        name = f"thoughtful-1:{deal.seed} by {parse_solver(MONKEY)} under spider-1"
    faults = verify(filled, share=1.0, only=["solutions"]).faults
    assert [(fault.where, said in fault.what) for fault in faults] == [(name, True)]


def test_verify_sees_a_deal_of_the_wrong_game(filled: store.Catalogue) -> None:
    with filled.begin() as session:
        dealing = session.scalars(select(DealingRow).where(DealingRow.game == "spider")).one()
        dealing.dealer = "solvitaire"
    kinds = {fault.kind: fault.what for fault in verify(filled, share=1.0, only=["cards"]).faults}
    assert kinds["cards"].startswith("dealer solvitaire does not deal Spider")


def test_a_deals_page_is_of_one_game(filled: store.Catalogue) -> None:
    spider = deal_detail.deal_detail(filled, "thoughtful-1:3", SPIDER)
    klondike = deal_detail.deal_detail(filled, "thoughtful-1:3")
    assert (spider.game, klondike.game) == (SPIDER, KLONDIKE)
    assert spider.stored
    assert klondike.stored
    assert [status.ruleset for status in spider.statuses] == ["spider-1"]
    assert [status.ruleset for status in klondike.statuses] == ["klondike-draw3"]
    assert spider.cards == get_dealer("thoughtful-1").deal(3, SPIDER)
    best = spider.best("spider-1")
    assert best is not None
    assert best.moves is not None
    moves = SPIDER.unpack(best.moves)
    assert len(moves) == best.length
    assert wins(SPIDER.start(spider.cards, RULES), moves)
    # A digest determines the game; a deal that is not stored is dealt.
    assert deal_detail.deal_detail(filled, spider.digest).game is SPIDER
    unknown = deal_detail.deal_detail(filled, "pysolfc:5", SPIDER)
    assert (unknown.stored, unknown.cards.game) == (False, "spider")
    with pytest.raises(BadInput, match="dealer greenfelt does not deal Spider"):
        deal_detail.deal_detail(filled, "greenfelt:5", SPIDER)


def test_lists_and_figures_of_a_ruleset_are_of_its_game(filled: store.Catalogue) -> None:
    page = deal_list.list_deals(filled, deal_list.DealFilter("spider-1", status="winnable"))
    assert page.total > 0
    assert all(row.solution_length is not None for row in page.rows)
    hard = difficulty.difficulty(filled, "spider-1", SAMPLE)
    assert hard.sample == SAMPLE
    assert (hard.nodes, [share.attempted for share in hard.solvers]) == ([], [SEEDS])
    assert sum(each.deals for each in hard.winners) == SEEDS
    same = comparison.compare(filled, "spider-1", MONKEY, MONKEY, SAMPLE).wins
    assert same.both + same.neither == SEEDS


# --- writing -------------------------------------------------------------------------------------


def test_what_is_there_stays_as_it_is(catalogue: store.Catalogue) -> None:
    chunk = solved(range(5))
    for expected in (5, 0):
        with catalogue.begin() as session:
            written = write_chunk(session, chunk)
        assert (written.deals, written.outcomes) == (expected, expected)
    lost = ((SolverKey("other", 1, "other", ()), (Outcome(Result.LOST, 1, 0.0),) * 5),)
    other = Chunk(RULES, "thoughtful-1", tuple(range(5)), chunk.cards[::-1], lost)
    with pytest.raises(OtherCards), catalogue.begin() as session:
        write_chunk(session, other)


def test_a_deal_brought_in_by_hand(catalogue: store.Catalogue) -> None:
    chunk = solved(range(8))
    by_hand = Chunk(RULES, None, (), chunk.cards, chunk.outcomes)
    with catalogue.begin() as session:
        write_chunk(session, by_hand)
        assert write_chunk(session, by_hand).outcomes == 0
    digests = [SpiderDeal.of(row).digest for row in chunk.cards]
    found = deal_detail.deal_detail(catalogue, digests[3])
    assert (found.game, found.dealer, found.digest) == (SPIDER, None, digests[3])
    assert overview.counts(catalogue).imported == 8
    assert verify(catalogue, share=1.0, resolve_share=0.0).faults == ()


@pytest.mark.parametrize(
    ("cards", "said"),
    [
        (np.tile(np.arange(52, dtype=np.uint8), (1, 1)), r"deals of Spider are uint8\[n, 104\]"),
        (np.zeros((1, 104), dtype=np.uint8), "is not 2 full decks"),
        (np.arange(104, dtype=np.uint8)[None, :], "no cards at all: numbers 52"),
        (np.tile(np.arange(52, dtype=np.int64), (1, 2)), "not int64"),
    ],
)
def test_a_chunk_holds_two_full_decks(cards: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        Chunk(RULES, "thoughtful-1", (1,), cards, ())


@pytest.mark.parametrize(
    ("moves", "said"),
    [(b"\0\0", "its 1 moves do not end in a win"), (b"\0", "does not replay"), (None, "no moves")],
)
def test_a_win_that_proves_nothing(moves: bytes | None, said: str) -> None:
    cards = get_dealer("thoughtful-1").deal_block(1, 1, SPIDER)
    key = SolverKey("monkey", 1, "monkey", ())
    claimed = Achieved(Result.WON, 1, 0.5, moves)
    with pytest.raises(UnprovedWin, match=said):
        Chunk(RULES, "thoughtful-1", (1,), cards, ((key, (claimed,)),))


# --- jobs and regret -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ruleset", "sample", "solver", "said"),
    [
        ("spider-4", "thoughtful-1:0-9", "exact", "exact does not play spider-4: it plays "),
        ("klondike-draw3", "thoughtful-1:0-9", "monkey", "it plays Spider"),
        ("spider-4", "solvitaire:1-9", "monkey", "dealer solvitaire does not deal Spider"),
        ("spider-3", "thoughtful-1:0-9", "monkey", "unknown ruleset 'spider-3'"),
    ],
)
def test_jobs_that_cannot_be(
    sqlite_catalogue: store.Catalogue, ruleset: str, sample: str, solver: str, said: str
) -> None:
    with pytest.raises(BadInput) as caught:
        jobs.submit(sqlite_catalogue, ruleset, parse_sample(sample), [solver])
    assert said in str(caught.value)
    assert jobs.list_jobs(sqlite_catalogue) == []


# --- out of the catalogue ------------------------------------------------------------------------


def table(directory: Path, name: str) -> list[dict[str, Any]]:
    found = duckdb.sql(f"SELECT * FROM read_json('{directory / name}.jsonl')")
    assert found is not None
    rows: list[dict[str, Any]] = found.to_arrow_table().to_pylist()
    return rows


def test_exports_tell_the_games_apart(filled: store.Catalogue, tmp_path: Path) -> None:
    export(filled, tmp_path / "all", format="jsonl")
    deals = {(row["deal"], row["game"]): row for row in table(tmp_path / "all", "deals")}
    assert len(deals) == 2 * SEEDS
    row = deals["thoughtful-1:3", "spider"]
    read = SpiderDeal.from_piles(
        *([list(map(parse_card, pile.split())) for pile in row[name].split(" | ")]
          for name in ("tableau", "stock"))
    )  # fmt: skip
    assert read == get_dealer("thoughtful-1").deal(3, SPIDER)
    assert read.digest == row["digest"]
    assert deals["thoughtful-1:3", "klondike"]["stock"].count(" ") == 23
    solutions = table(tmp_path / "all", "solutions")
    for solution in solutions:
        assert solution["game"] == "spider"
        seed = int(solution["deal"].partition(":")[2])
        deal = get_dealer("thoughtful-1").deal(seed, SPIDER)
        moves = SPIDER.parse_solution(solution["moves"])
        assert len(moves) == solution["length"]
        assert wins(SPIDER.start(deal, parse_ruleset(solution["ruleset"])), moves)
    export(filled, tmp_path / "some", format="jsonl", selection=Selection(ruleset="spider-1"))
    assert {row["game"] for row in table(tmp_path / "some", "deals")} == {"spider"}
    assert len(table(tmp_path / "some", "deals")) == SEEDS
    assert len(table(tmp_path / "some", "outcomes")) == SEEDS
    assert len(table(tmp_path / "some", "solutions")) == len(solutions)


# --- without a catalogue -------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
def test_a_file_of_deals_is_solved(tmp_path: Path, workers: int) -> None:
    source, target = tmp_path / "deals.jsonl", tmp_path / "results.jsonl"
    deals = [get_dealer("thoughtful-1").deal(seed, SPIDER) for seed in range(8)]
    lines = [write_deal_line(InputDeal(seed, deal)) for seed, deal in enumerate(deals)]
    lines.append(json.dumps({"dealer": "thoughtful-1", "seed": 8}))
    source.write_text("\n".join(lines))
    counts = solve_file(str(source), str(target), RULES, parse_solver(MONKEY), workers=workers)
    results = [json.loads(line) for line in io.StringIO(target.read_text())]
    assert [line["id"] for line in results] == [*range(8), "thoughtful-1:8"]
    assert counts["won"] > 0
    expected = solved(range(9)).outcomes[0][1]
    for line, outcome in zip(results, expected, strict=True):
        assert outcome is not None
        assert (line["outcome"], line["nodes"]) == (outcome.result.value, outcome.nodes)
        if "moves" in line:
            assert pack_solution(map(SPIDER.parse_move, line["moves"])) == outcome.moves


def test_a_line_of_another_game_is_named(tmp_path: Path) -> None:
    source = tmp_path / "deals.jsonl"
    klondike = get_dealer("thoughtful-1").deal(1, KLONDIKE)
    source.write_text(write_deal_line(InputDeal("a", klondike)))
    with pytest.raises(BadInput) as caught:
        solve_file(str(source), "-", RULES, parse_solver(MONKEY))
    assert str(caught.value).startswith(
        f"{source}, line 1: this is a deal of Klondike, and spider-1 is a ruleset of Spider"
    )
