"""Deals of every game through the catalogue: stored by a job, read, verified and exported."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from catalogue import store
from catalogue.pipe import solve_file
from catalogue.reading import bounds, deal_list
from catalogue.reading.deal_detail import DealDetail, deal_detail
from catalogue.regret.games import games_of
from catalogue.tables.export import export
from catalogue.verify.running import verify
from conformance.conftest import Stored
from engine.cards import parse_card
from engine.dealing.dealers import Sample, get_dealer
from engine.errors import BadInput
from engine.game import Game
from engine.games import get_game
from engine.replay import wins
from engine.text.deal_lines import InputDeal, write_deal_line
from here import find_regrets
from solvers.choice import Ability, capable
from solvers.outcome import Result
from solvers.solver import parse_solver
from thoughtful.command_line import application


@pytest.fixture
def catalogue(stored: Stored) -> Iterator[store.Catalogue]:
    """The catalogue that jobs of every game filled."""
    with store.open_catalogue(stored.url) as opened:
        yield opened


def details(catalogue: store.Catalogue, stored: Stored, game: Game) -> Iterator[DealDetail]:
    for seed in stored.sample.seeds:
        yield deal_detail(catalogue, f"{stored.sample.dealer}:{seed}", game)


def test_every_deal_has_its_outcomes(
    catalogue: store.Catalogue, stored: Stored, game: Game
) -> None:
    rules, solvers = stored.plan[game.slug]
    solver = parse_solver(solvers[0])
    cards = get_dealer(stored.sample.dealer).deal_block(0, stored.sample.count, game)
    expected = solver.solve(cards, rules)
    found: Counter[str] = Counter()
    for detail, row, outcome in zip(details(catalogue, stored, game), cards, expected, strict=True):
        assert detail.stored
        assert detail.game is game
        assert detail.cards == game.deal(row)
        assert {each.solver for each in detail.outcomes} == set(solvers)
        kept = next(each for each in detail.outcomes if each.solver == str(solver))
        assert (kept.result, kept.nodes, kept.moves) == (
            outcome.result.value,
            outcome.nodes,
            outcome.moves,
        )
        if kept.moves is not None:
            assert kept.length == game.length(kept.moves)
            assert wins(game.start(detail.cards, rules), game.unpack(kept.moves))
        status = detail.status(rules.slug)
        assert status is not None
        found[status.status] += 1
    assert found["winnable"] > 0
    (point,) = bounds.latest(catalogue, rules.slug)
    assert point.n == stored.sample.count
    assert point.winnable == found["winnable"]
    page = deal_list.list_deals(catalogue, deal_list.DealFilter(rules.slug, status="winnable"))
    assert page.total == found["winnable"]


def test_verification_finds_no_fault(catalogue: store.Catalogue, stored: Stored) -> None:
    """No other solver is asked here; that is dear, and a matter of solvers, not of games."""
    report = verify(catalogue, share=1.0, resolve_share=0.0)
    assert report.faults == ()
    assert report.checked["cards"] == stored.sample.count * len(stored.plan)
    assert report.checked["solution"] >= len(stored.plan)


def test_an_export_reads_back(catalogue: store.Catalogue, stored: Stored, tmp_path: Path) -> None:
    export(catalogue, tmp_path / "all", format="jsonl")

    def rows(table: str) -> list[dict[str, Any]]:
        lines = (tmp_path / "all" / f"{table}.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    readme = (tmp_path / "all" / "README.md").read_text()
    deals, solutions = rows("deals"), rows("solutions")
    for game in map(get_game, stored.plan):
        assert game.notation in " ".join(readme.split())
        cards = {}
        for row in deals:
            if row["game"] == game.slug:
                piles = " | ".join(row[zone.name] for zone in game.zones).split(" | ")
                read = game.deal(parse_card(name) for pile in piles for name in pile.split())
                seed = int(row["deal"].partition(":")[2])
                assert read == get_dealer(row["dealer"]).deal(seed, game)
                assert read.digest == row["digest"]
                cards[row["deal"]] = read
        assert len(cards) == stored.sample.count
        own = [row for row in solutions if row["game"] == game.slug]
        assert own
        for row in own:
            rules = game.rulesets.parse(row["ruleset"])
            moves = game.parse_solution(row["moves"])
            assert len(moves) == row["length"]
            assert wins(game.start(cards[row["deal"]], rules), moves)


def test_a_file_of_deals_is_solved(stored: Stored, game: Game, tmp_path: Path) -> None:
    rules, (solver, *_) = stored.plan[game.slug]
    source, target = tmp_path / "deals.jsonl", tmp_path / "results.jsonl"
    deals = {seed: get_dealer(stored.sample.dealer).deal(seed, game) for seed in (2, 3)}
    lines = [write_deal_line(InputDeal(seed, deal)) for seed, deal in deals.items()]
    source.write_text("\n".join(lines))
    counts = solve_file(str(source), str(target), rules, parse_solver(solver))
    results = [json.loads(line) for line in target.read_text().splitlines()]
    assert [line["id"] for line in results] == [*deals]
    assert counts["won"] == sum("moves" in line for line in results) > 0
    for line in results:
        if "moves" in line:
            moves = [game.parse_move(text) for text in line["moves"]]
            assert wins(game.start(deals[line["id"]], rules), moves)


def test_regrets_where_a_solver_decides_positions(
    catalogue: store.Catalogue, stored: Stored, game: Game
) -> None:
    rules, solvers = stored.plan[game.slug]
    # Few, because a judge may take its time over a position.
    sample = Sample(stored.sample.dealer, 4, 2)
    if capable(rules, Ability.DECIDE) is None:
        with pytest.raises(BadInput, match="no solver decides positions"):
            games_of(rules.slug, sample, solvers[-1])
        return
    played = games_of(rules.slug, sample, solvers[-1])
    find_regrets(catalogue, played)
    lost = [
        outcome.lost
        for detail in details(catalogue, stored, game)
        for outcome in detail.outcomes
        if outcome.lost is not None
    ]
    assert lost
    for each in lost:
        assert each.length == game.length(each.moves)


@pytest.fixture
def thoughtful(stored: Stored) -> Callable[..., str]:
    """What a command prints."""

    def run(*arguments: str) -> str:
        done = CliRunner().invoke(
            application(), [*arguments], env={"THOUGHTFUL_DATABASE_URL": stored.url}
        )
        assert done.exit_code == 0, done.output
        return done.output

    return run


def test_the_command_line(
    catalogue: store.Catalogue, stored: Stored, game: Game, thoughtful: Callable[..., str]
) -> None:
    rules, _ = stored.plan[game.slug]
    won = next(detail for detail in details(catalogue, stored, game) if detail.best(rules.slug))
    best = won.best(rules.slug)
    assert best is not None
    answer = thoughtful("replay", won.deal, "--rules", rules.slug)
    assert f"{best.length} moves, all legal under {rules}: won" in answer
    shown = thoughtful("deal", won.deal, "--rules", rules.slug)
    assert str(game.start(won.cards, rules)) in shown
    for codec in game.codecs:
        text = thoughtful("deal", won.deal, "--rules", rules.slug, "--format", codec.slug)
        assert codec.read(text) == won.cards
    assert Result.WON.value in {outcome.result for outcome in won.outcomes}
    for listing in ("rulesets", "dealers"):
        assert game.name in thoughtful(listing)
