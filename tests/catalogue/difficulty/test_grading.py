"""Tests of features in the catalogue: the job, levels, and deals that are found by them."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from random import Random

import numpy as np
import pytest
from scipy.stats import chisquare
from sqlalchemy import select, update

from catalogue import store
from catalogue.difficulty import features as features_jobs
from catalogue.difficulty import grading, reading, shipped
from catalogue.difficulty.features import row_of, submit, winnable_seeds
from catalogue.difficulty.fitting import fit_difficulty, store_model
from catalogue.difficulty.grading import LEVELS, features_of, games_of, players_of, read_model
from catalogue.difficulty.playing import chosen_players
from catalogue.difficulty.prediction import look_at
from catalogue.difficulty.reading import (
    DealConditions,
    GradedDeal,
    draw,
    find,
    graded,
    levels,
    model,
    options_of,
    rulesets,
)
from catalogue.jobs.queue import get_job
from catalogue.jobs.queue import submit as submit_outcomes
from catalogue.jobs.runner import run
from catalogue.reading.levels import Rating
from catalogue.schema import FeaturesRow, RulesetRow
from catalogue.verify.running import verify
from engine.dealing.dealers import Sample, deal_by_id, get_dealer
from engine.errors import BadInput
from engine.games import game_of
from engine.klondike.rules import without
from engine.rulesets import parse_ruleset
from graded import plausible_model, put_ratings
from job_runs import workers_in_this_process
from samples import sizes
from solvers import features
from solvers.outcome import Result
from solvers.solver import parse_solver

RULES = parse_ruleset("klondike-draw1")
SAMPLE = Sample("thoughtful-1", 0, 30)
PLAYERS = ["greedy", "random", "random(random_seed=1)"]


@pytest.fixture(scope="module", autouse=True)
def nothing_shipped() -> Iterator[None]:
    """Without shipped models, so that a ruleset has none before one is fitted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shipped, "_columns", lambda ruleset: None)
        shipped.shipped_model.cache_clear()
        yield
    shipped.shipped_model.cache_clear()


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """A Dask scheduler with two workers in this very process."""
    with workers_in_this_process() as address:
        yield address


@pytest.fixture(scope="module")
def filled_url(scheduler: str, new_database: Callable[..., str]) -> Callable[[str], str]:
    """The URL of a database of a kind that jobs have filled, to copy from: filled once."""

    @cache
    def fill(backend: str) -> str:
        url = new_database(backend)
        with pytest.MonkeyPatch.context() as patch, store.open_catalogue(url) as cat:
            patch.setattr(features_jobs, "_SHARD", 7)
            submit_outcomes(cat, RULES.slug, SAMPLE, ["exact(nodes=100000)", *PLAYERS])
            run(cat, scheduler=scheduler)
            submit(cat, RULES, SAMPLE)
            run(cat, scheduler=scheduler)
        return url

    return fill


@pytest.fixture
def filled(
    backend: str, filled_url: Callable[[str], str], new_database: Callable[..., str]
) -> Iterator[store.Catalogue]:
    with store.open_catalogue(new_database(backend, filled_url(backend))) as opened:
        yield opened


def ruleset_id(cat: store.Catalogue) -> int:
    with cat.session() as session:
        return session.scalars(select(RulesetRow.id).where(RulesetRow.slug == RULES.slug)).one()


def everything(cat: store.Catalogue) -> list[GradedDeal]:
    return find(cat, DealConditions(RULES.slug), 1000).deals


def test_a_job_finds_the_features_of_the_winnable_deals(filled: store.Catalogue) -> None:
    seeds = range(SAMPLE.first, SAMPLE.last + 1)
    solved = parse_solver("exact").solve(get_dealer("thoughtful-1").deal_block(0, 30), RULES)
    winnable = [seed for seed in seeds if solved[seed].result == Result.WON]
    assert 20 < len(winnable) < 30
    with filled.session() as session:
        assert winnable_seeds(session, ruleset_id(filled), "thoughtful-1", seeds).tolist() == (
            winnable
        )
        rows = session.execute(select(FeaturesRow.__table__).order_by(FeaturesRow.seed)).all()
    assert [row.seed for row in rows] == winnable
    for row in rows[:4]:
        wanted = features.trace(deal_by_id(f"thoughtful-1:{row.seed}", game_of(RULES)), RULES)
        assert row_of(wanted) == {name: getattr(row, name) for name in row_of(wanted)}
        assert row.level is None
    job = get_job(filled, 2)
    assert (job.kind, job.state, job.done, job.total) == ("features", "done", 25, 25)
    assert levels(filled, RULES.slug) == [0] * 10
    # Nothing is left, also when the deals are asked for again.
    assert get_job(filled, submit(filled, RULES, SAMPLE)).state == "done"
    assert verify(filled, resolve_share=0.0).faults == ()


def test_levels_follow_from_the_model(filled: store.Catalogue, scheduler: str) -> None:
    assert model(filled, RULES.slug) is None
    wanted = plausible_model(SAMPLE)
    store_model(filled, RULES, wanted)
    with filled.session() as session:
        stored = read_model(session, ruleset_id(filled))
        rows = session.execute(select(FeaturesRow.__table__).order_by(FeaturesRow.seed)).all()
        seeds = np.array([row.seed for row in rows])
        players = [p for p in players_of(session, ruleset_id(filled)) if p.name == "greedy"]
        games = games_of(session, ruleset_id(filled), "thoughtful-1", seeds, players)
    assert stored is not None
    assert stored.players == wanted.players
    assert stored.limits.tolist() == wanted.limits.tolist()
    assert stored.created_at == wanted.created_at
    outcomes = parse_solver("greedy").solve(get_dealer("thoughtful-1").deal_block(0, 30), RULES)
    won = [int(outcomes[seed].result == Result.WON) for seed in seeds.tolist()]
    assert games.won[:, 0].tolist() == won
    assert games.played[:, 0].tolist() == [1] * len(won)
    difficulty, deviation = wanted.rasch.rate(games, wanted.rasch.predict(features_of(rows)))
    for at, row in enumerate(rows):
        assert row.difficulty == pytest.approx(difficulty[at])
        assert row.deviation == pytest.approx(deviation[at])
        assert row.games == 1
        assert row.level == 1 + sum(difficulty[at] >= limit for limit in wanted.limits)
    assert sum(levels(filled, RULES.slug)) == len(rows)
    # Deals whose features are found later are graded at once.
    submit_outcomes(filled, RULES.slug, Sample("thoughtful-1", 40, 3), ["exact(nodes=100000)"])
    run(filled, scheduler=scheduler)
    submit(filled, RULES, Sample("thoughtful-1", 40, 3))
    run(filled, scheduler=scheduler)
    (later,) = graded(filled, "klondike", "thoughtful-1", 40)
    assert later.level is not None
    assert later.games == 0
    assert later.deviation == pytest.approx(0.9)
    assert later.level_low is not None
    assert later.level_low <= later.level
    assert verify(filled, resolve_share=0.0).faults == ()
    # A deal without a dealer that is looked at has what such a deal has, and nothing is stored.
    deal = get_dealer("thoughtful-1").deal(40, game_of(RULES))
    looked = look_at(filled, RULES, deal, "mine")
    assert looked == replace(later, deal="mine", dealer="", seed=0)
    assert len(everything(filled)) == sum(levels(filled, RULES.slug))


def test_features_of_two_versions_are_never_mixed(
    filled: store.Catalogue, scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old ones have the levels of an old model, until a job finds them again."""
    old = features.VERSION
    store_model(filled, RULES, plausible_model(SAMPLE))
    before = everything(filled)
    assert len(before) == 25
    assert all(deal.level is not None and not deal.is_old for deal in before)
    for module in (features, features_jobs, reading, grading):
        monkeypatch.setattr(module, "VERSION", old + 1)
    # All are old now, together with their model: nothing is said of their luck.
    assert [deal.deal for deal in everything(filled)] == [deal.deal for deal in before]
    assert all(deal.is_old and deal.luck_most is None for deal in everything(filled))
    known = model(filled, RULES.slug)
    assert known is not None
    assert known.is_old
    few = Sample("thoughtful-1", 0, 10)
    submit(filled, RULES, few)
    run(filled, scheduler=scheduler)
    found = find(filled, DealConditions(RULES.slug), 1000)
    with filled.session() as session:
        rows = session.execute(select(FeaturesRow.__table__).order_by(FeaturesRow.seed)).all()
    again = [row for row in rows if row.version == old + 1]
    assert {row.seed for row in again} == {deal.seed for deal in before if deal.seed < 10}
    assert len(rows) == len(before)
    # New features have no level of the old model, and lists have the version of the model alone.
    assert all(row.level is None for row in again)
    assert {deal.seed for deal in found.deals} == {d.seed for d in before if d.seed >= 10}
    assert (found.graded, found.others) == (len(before) - len(again), len(again))
    assert verify(filled, resolve_share=0.0).faults == ()
    # A new model grades the new ones, and takes the levels of the old ones away.
    store_model(filled, RULES, replace(plausible_model(SAMPLE), features_version=old + 1))
    found = find(filled, DealConditions(RULES.slug), 1000)
    assert {deal.seed for deal in found.deals} == {row.seed for row in again}
    assert all(deal.level is not None for deal in found.deals)
    assert sum(levels(filled, RULES.slug)) == len(again)
    assert verify(filled, resolve_share=0.0).faults == ()


def test_a_deal_is_looked_at_without_a_model(catalogue: store.Catalogue) -> None:
    game = game_of(RULES)
    deals = [get_dealer("thoughtful-1").deal(seed, game) for seed in range(40)]
    verdicts = [parse_solver("exact").solve_position(game.start(deal, RULES)) for deal in deals]
    won = next(at for at, each in enumerate(verdicts) if each.result == Result.WON)
    looked = look_at(catalogue, RULES, deals[won], "mine")
    assert (looked.level, looked.difficulty, looked.games) == (None, None, 0)
    assert (looked.nodes, looked.length) == (verdicts[won].nodes, len(verdicts[won].moves or ()))
    lost = next(at for at, each in enumerate(verdicts) if each.result == Result.UNWINNABLE)
    with pytest.raises(BadInput, match="does not win the deal"):
        look_at(catalogue, RULES, deals[lost], "mine")


def test_the_random_seeds_of_a_player_are_one_player(filled: store.Catalogue) -> None:
    with filled.session() as session:
        players = players_of(session, ruleset_id(filled))
    assert [(each.name, len(each.solver_ids)) for each in players] == [("greedy", 1), ("random", 2)]


def test_a_fit_needs_games_of_enough_deals_and_players(filled: store.Catalogue) -> None:
    chosen = chosen_players(RULES, ["greedy", "random"])
    with pytest.raises(BadInput, match="1 players have both won and lost"):
        fit_difficulty(filled, RULES, SAMPLE, chosen[:1])
    with pytest.raises(BadInput, match=r"25 deals .* expected 100 or more"):
        fit_difficulty(filled, RULES, SAMPLE, chosen)
    with pytest.raises(BadInput, match="0 players have both won and lost"):
        fit_difficulty(filled, RULES, Sample("thoughtful-1", 500, 30), chosen)
    with pytest.raises(BadInput, match="0 players have both won and lost"):
        fit_difficulty(filled, parse_ruleset("klondike-draw2"), SAMPLE, chosen)


def test_players_are_what_they_are_said_to_be() -> None:
    ladder = chosen_players(RULES, None)
    assert len({each.values[0] for each in ladder}) >= 3
    with pytest.raises(BadInput, match="is given the whole deal"):
        chosen_players(RULES, ["exact"])
    with pytest.raises(BadInput, match="no players of graded strength are known under spider-4"):
        chosen_players(parse_ruleset("spider-4"), None)
    with pytest.raises(BadInput, match="no solver tells which plays keep a win under klondike-yan"):
        chosen_players(parse_ruleset("klondike-yan"), None)


def naive(deals: list[GradedDeal], wanted: DealConditions) -> list[str]:
    """The deals that suit, one condition after another."""

    def within(value: int | None, ends: tuple[int | None, int | None]) -> bool:
        low, high = ends
        if low is None and high is None:
            return True
        return value is not None and (low or 0) <= value <= (10**9 if high is None else high)

    return [
        deal.deal
        for deal in deals
        if within(deal.level, wanted.levels)
        and within(deal.length, wanted.lengths)
        and within(deal.critical, wanted.criticals)
        and (
            wanted.critical_before is None
            or (deal.first_critical is not None and deal.first_critical < wanted.critical_before)
        )
        and (wanted.needs is None or wanted.needs in deal.needs)
        and (not wanted.played or deal.games > 0)
    ]


def test_what_is_found_is_what_was_wanted(filled: store.Catalogue) -> None:
    store_model(filled, RULES, plausible_model(SAMPLE))
    with filled.begin() as session:
        for seed, needs in (
            (0, "worrying-back"),
            (2, "worrying-back-again"),
            (4, "x worrying-back"),
        ):
            session.execute(update(FeaturesRow).where(FeaturesRow.seed == seed).values(needs=needs))
        session.execute(update(FeaturesRow).where(FeaturesRow.seed == 6).values(games=0))
    deals = everything(filled)
    assert [deal.seed for deal in deals] == sorted(deal.seed for deal in deals)
    sizes = set()
    asked = product(
        [(None, None), (3, 7), (None, 4), (8, None)],
        [(None, None), (None, 130), (125, 150)],
        [(None, None), (1, None), (0, 0)],
        [None, 60],
        [None, "worrying-back"],
        [False, True],
    )
    # Some of all combinations, each time the same.
    for spans, lengths, criticals, before, needs, played in Random(1).sample(list(asked), 60):
        wanted = DealConditions(RULES.slug, None, spans, lengths, criticals, before, needs, played)
        found = find(filled, wanted, 1000)
        names = naive(deals, wanted)
        assert [deal.deal for deal in found.deals] == names
        assert (found.total, found.graded) == (len(names), len(deals))
        drawn = draw(filled, wanted, "2026-11-23")
        assert drawn == draw(filled, wanted, "2026-11-23")
        assert (drawn.deal if drawn else None) in ([*names] if names else [None])
        sizes.add(len(names))
    assert len(sizes) > 5
    # Page by page it is the same list.
    paged, after = [], None
    while part := find(filled, DealConditions(RULES.slug), 4, after).deals:
        paged += part
        after = part[-1].dealer, part[-1].seed
    assert paged == deals
    assert find(filled, DealConditions(RULES.slug, dealer="pysolfc"), 4).deals == []
    assert rulesets(filled) == [RULES.slug]


@pytest.mark.parametrize("keys", sizes(300, 1500))
def test_clustered_deals_of_the_catalogue_are_drawn_evenly(
    catalogue: store.Catalogue,
    scheduler: str,
    monkeypatch: pytest.MonkeyPatch,
    keys: int,
) -> None:
    seeds = [*range(1, 16), *range(1_000_000, 1_000_030), 90_000_000]
    for first in (1, 1_000_000, 90_000_000):
        sample = Sample("pysolfc", first, 3)
        submit_outcomes(catalogue, RULES.slug, sample, ["exact(nodes=100000)"])
    run(catalogue, scheduler=scheduler)
    ratings = {seed: Rating(3 + (seed % 5 == 0), 0.1, 0.5, 0) for seed in seeds}
    put_ratings(catalogue, RULES.slug, "pysolfc", ratings)
    suit = [seed for seed in seeds if seed % 5]
    wanted = DealConditions(RULES.slug, levels=(3, 3))
    answer = [draw(catalogue, wanted, f"key {key}") for key in range(keys)]
    counts = Counter(deal.seed for deal in answer if deal is not None)
    assert sum(counts.values()) == keys
    assert chisquare([counts[seed] for seed in suit]).pvalue > 0.001
    # Looked up seed by seed, as among many deals, they are the same ones; so they are with fewer
    # conditions if they suit, and with more deals.
    monkeypatch.setattr(reading, "_READ_MOST", 3)
    assert [draw(catalogue, wanted, f"key {key}") for key in range(25)] == answer[:25]
    assert draw(catalogue, DealConditions(RULES.slug, levels=(9, 9)), "key") is None
    any_level = [draw(catalogue, DealConditions(RULES.slug), f"key {key}") for key in range(25)]
    for free, bound in zip(any_level, answer[:25], strict=True):
        assert free is not None
        assert free == bound or free.seed % 5 == 0


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (DealConditions(RULES.slug, levels=(0, 3)), "there is no level 0"),
        (DealConditions(RULES.slug, levels=(1, 11)), "there is no level 11"),
        (DealConditions(RULES.slug, lengths=(9, 3)), "lengths 9–3"),
        (DealConditions(RULES.slug, criticals=(-1, None)), "-1 is none"),
        (DealConditions(RULES.slug, critical_before=0), "before move 0"),
        (DealConditions(RULES.slug, needs="luck"), "expected one of worrying-back"),
        (DealConditions(ruleset="whist"), "whist"),
    ],
)
def test_what_cannot_be_wanted_is_said_in_a_sentence(wrong: DealConditions, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        wrong.check()


def test_there_is_a_name_for_each_level() -> None:
    assert len(set(LEVELS)) == 10
    assert options_of(RULES) == ("worrying-back",)
    assert options_of(parse_ruleset("spider-4")) == ()
    assert without(parse_ruleset("klondike-draw3-no-worrying-back")) == {}


@pytest.mark.parametrize("draw_count", [1, 3])
def test_needing_a_card_brought_back_is_proved(draw_count: int) -> None:
    """By the plain solver under the stricter rules; the others are won there or undecided."""
    rules = parse_ruleset(f"klondike-draw{draw_count}")
    game = game_of(rules)
    strict = parse_ruleset(f"klondike-draw{draw_count}-no-worrying-back")
    plain = parse_solver("exact-plain(nodes=300000)")
    seen = set()
    for seed in range(20):
        deal = deal_by_id(f"thoughtful-1:{seed}", game)
        (outcome,) = parse_solver("exact").solve(deal.as_array()[None], rules)
        if outcome.result != Result.WON or outcome.moves is None:
            continue
        needs, unsure = features._needs(deal, rules, game.unpack(outcome.moves))
        result = plain.solve_position(game.start(deal, strict)).result
        expected = {Result.UNWINNABLE: "needs", Result.WON: "not"}.get(result, "unsure")
        answer = "needs" if needs else "unsure" if unsure else "not"
        # A line that brings no card back shows it without a search.
        assert answer == expected or (answer == "not" and expected == "unsure")
        seen.add(answer)
    assert "not" in seen
