"""Tests of distributions and shares of wins against a recount."""

import re
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest

from catalogue.reading.bounds import record_bound
from catalogue.reading.comparison import compare
from catalogue.reading.contenders import Contender, brief_names, comparable, contenders
from catalogue.reading.difficulty import WinnerSet, difficulty
from catalogue.schema import JobRow, JobSolverRow
from catalogue.statistics import clopper_pearson, paired
from engine.dealing.dealers import Sample
from engine.errors import BadInput
from engine.rulesets import parse_ruleset
from solvers.outcome import Outcome, Result

DRAW3 = "klondike-draw3"
SAMPLES = [
    Sample("thoughtful-1", 0, 2300),
    Sample("thoughtful-1", 15, 20),
    Sample("thoughtful-1", 700, 1100),
    Sample("solvitaire", 1, 60),
]


def inside(known: Any, sample: Sample) -> list[list[Any]]:
    return [
        facts
        for facts in known.of(DRAW3).values()
        if facts[0].dealer == sample.dealer and facts[0].seed in sample.seeds
    ]


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_bins_hold_every_deal_once(known: Any, sample: Sample) -> None:
    found = difficulty(known.catalogue, DRAW3, sample)
    nodes, lengths = [], []
    for facts in inside(known, sample):
        won = [f.outcome for f in facts if f.outcome.result == "won"]
        decided = [
            f.outcome.nodes
            for f in facts
            if f.solver.method == "exact" and f.outcome.result in ("won", "unwinnable")
        ]
        if decided:
            nodes.append((min(decided), bool(won)))
        if won:
            lengths.append((min(len(outcome.moves) for outcome in won), True))
    for bins, values in ((found.nodes, nodes), (found.lengths, lengths)):
        for each in bins:
            here = [win for value, win in values if each.low <= value < each.high]
            assert (each.winnable, each.unwinnable) == (here.count(True), here.count(False))
        assert sum(each.winnable + each.unwinnable for each in bins) == len(values)
        for before, after in pairwise(bins):
            assert before.high == after.low
        if bins:
            assert bins[0].winnable + bins[0].unwinnable > 0
            assert bins[-1].winnable + bins[-1].unwinnable > 0
    assert all(each.high in (2, 2 * each.low) for each in found.nodes)
    assert all(each.high == each.low + 10 for each in found.lengths)


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_shares_are_of_all_deals_attempted_without_a_gap(known: Any, sample: Sample) -> None:
    shares = difficulty(known.catalogue, DRAW3, sample).solvers
    by_seed = {facts[0].seed: facts for facts in inside(known, sample)}
    found = {(share.solver, share.version): share for share in shares}
    for solver in {fact.solver for fact in known.facts}:
        outcomes: list[Outcome] = []
        for seed in sample.seeds:
            here = [f.outcome for f in by_seed.get(seed, []) if f.solver == solver]
            if not here:
                break
            outcomes += here
        if not outcomes:
            assert (solver.name, solver.version) not in found
            continue
        share = found.pop((solver.name, solver.version))
        results = [str(outcome.result) for outcome in outcomes]
        assert share.sample == Sample(sample.dealer, sample.first, len(outcomes))
        assert (share.won, share.lost) == (results.count("won"), results.count("lost"))
        assert share.unwinnable == results.count("unwinnable")
        assert share.gave_up == results.count("gave_up")
        assert share.nodes == sum(outcome.nodes for outcome in outcomes)
        assert share.share == share.won / len(outcomes)
        assert share.interval == clopper_pearson(share.won, len(outcomes))
        kinds = [outcome.dead_end.kind for outcome in outcomes if outcome.dead_end is not None]
        assert share.dead_ends == Counter(kinds)
    assert found == {}


def test_winners_are_named_with_the_deals_only_they_won(known: Any) -> None:
    sample = SAMPLES[0]
    expected: dict[tuple[str, ...], int] = {}
    for facts in inside(known, sample):
        won_by = sorted(
            f"{f.solver.name} v{f.solver.version}" for f in facts if f.outcome.result == "won"
        )
        expected[tuple(won_by)] = expected.get(tuple(won_by), 0) + 1
    found = difficulty(known.catalogue, DRAW3, sample)
    assert {each.solvers: each.deals for each in found.winners} == expected
    assert [each.deals for each in found.winners] == sorted(expected.values(), reverse=True)
    assert ("exact(nodes=100) v1", "yan-heuristic v1") in expected


def test_solvers_are_compared_on_the_deals_both_attempted(known: Any) -> None:
    sample = Sample("thoughtful-1", 18, 2000)
    counts = [0, 0, 0, 0]
    facts = known.of(DRAW3)
    for seed in sample.seeds:
        results = {
            f.solver.method: f.outcome.result
            for f in facts.get(f"thoughtful-1:{seed}", [])
            if f.solver.version == 1
        }
        if not {"exact", "yan-heuristic"} <= results.keys():
            break
        exact, yan = results["exact"] == "won", results["yan-heuristic"] == "won"
        counts[0 if exact and yan else 1 if exact else 2 if yan else 3] += 1
    assert sum(counts) == 1482
    compared = compare(known.catalogue, DRAW3, "yan-heuristic", "dead-end", sample)
    costs = (compared.first_cost, compared.second_cost)
    assert [cost.may_hold_compiling for cost in costs] == [False, False]
    found = compared.wins
    assert found.n == 1482
    assert (found.both + found.only_first, found.only_second) == (counts[0] + counts[2], 0)
    newest = compare(known.catalogue, DRAW3, "exact(nodes=100)", "yan-heuristic", sample).wins
    assert newest.n == 0  # the newest is version 2, which has not attempted seed 18


def test_without_a_sample_the_headline_is_meant(
    catalogue: Any, known_type: type, solver_keys: Any, easy_win: Any
) -> None:
    empty = difficulty(catalogue, DRAW3)
    assert (empty.sample, empty.nodes, empty.solvers, empty.winner_deals) == (None, [], [], 0)
    filling = known_type(catalogue)
    exact, yan = solver_keys["exact"], solver_keys["yan-heuristic"]
    deals = []
    lost = Outcome(Result.LOST, 1, 0.5)
    for seed in range(30):
        deal, moves = easy_win(seed)
        outcomes = {exact: Outcome(Result.WON, seed, 1.0, moves)}
        outcomes[yan] = outcomes[exact] if seed < 12 else lost
        deals.append((seed, deal, outcomes))
    filling.write(parse_ruleset(DRAW3), "thoughtful-1", deals)
    with catalogue.begin() as session:
        job = JobRow(
            kind="outcomes", total=50,
            ruleset_id=1, dealer="thoughtful-1", first_seed=0, deals=50, state="running", done=0,
            created_at=datetime.now(UTC), keep="everything", priority=0, until={}, next_seed=0,
            cpu_ms=0.0, seal=0,
        )  # fmt: skip
        session.add(job)
        session.flush()
        session.add(JobSolverRow(job_id=job.id, place=0, solver_id=1))
        session.flush()
        assert record_bound(session, job.id)
    found = difficulty(catalogue, DRAW3)
    assert found.sample == Sample("thoughtful-1", 0, 30)
    assert [(each.low, each.winnable) for each in found.nodes] == [
        (0, 2), (2, 2), (4, 4), (8, 8), (16, 14),
    ]  # fmt: skip
    assert found.winners == [
        WinnerSet(("exact(nodes=100) v1",), 18),
        WinnerSet(("exact(nodes=100) v1", "yan-heuristic v1"), 12),
    ]
    assert found.winner_deals == 30
    # A third solver has attempted none of the first deals, so it is not one of the two.
    late = [(seed, easy_win(seed)[0], {solver_keys["dead-end"]: lost}) for seed in (20, 21)]
    filling.write(parse_ruleset(DRAW3), "thoughtful-1", late)
    assert len(contenders(catalogue, DRAW3)) == 3
    pair = comparable(catalogue, DRAW3)
    assert pair == (Contender("exact(nodes=100)", 1), Contender("yan-heuristic", 1))
    # Nor is it when it has attempted as many: it wins none, as one that looks for dead ends alone.
    seeds = {*range(30)} - {20, 21}
    rest = [(seed, easy_win(seed)[0], {solver_keys["dead-end"]: lost}) for seed in sorted(seeds)]
    filling.write(parse_ruleset(DRAW3), "thoughtful-1", rest)
    assert comparable(catalogue, DRAW3) == pair
    compared = compare(catalogue, DRAW3, *map(str, pair))
    both = compared.wins
    assert both == paired(12, 18, 0, 0)
    assert both.p_value < 0.001
    assert compared.sentence == (
        "exact won 30 of 30, yan-heuristic 12: exact is better, almost certainly."
    )
    assert re.fullmatch(
        r"exact won \*\*60\.00 percentage points\*\* more of 30 deals than yan-heuristic "
        r"\(99 %: \+\d+\.\d\d to \+\d+\.\d\d\)\.",
        compared.lead(0.99),
    )
    # The better one is named, whichever stands first, and the difference is positive.
    turned = compare(catalogue, DRAW3, *map(str, reversed(pair)))
    assert turned.lead(0.99) == compared.lead(0.99)
    few = replace(compared, wins=paired(12, 3, 0, 0))
    assert few.sentence == (
        "exact won 15 of 15, yan-heuristic 12: which is better cannot be told from these deals."
    )
    assert replace(compared, wins=paired(12, 1, 1, 0)).lead(0.99).startswith("Both won as many of")
    assert replace(compared, wins=paired(12, 1, 1, 0)).sentence.endswith(
        "yan-heuristic 13: as many."
    )


def test_solvers_are_named_by_that_in_which_they_differ() -> None:
    names = [("greedy", 1), ("exact(nodes=1)", 1), ("exact(nodes=2)", 1), ("exact(nodes=2)", 2)]
    assert brief_names([Contender(*each) for each in names]) == [
        "greedy",
        "exact(nodes=1)",
        "exact(nodes=2) v1",
        "exact(nodes=2) v2",
    ]


def test_wrong_names_are_one_sentence(known: Any) -> None:
    with pytest.raises(BadInput, match="unknown ruleset"):
        difficulty(known.catalogue, "chess")
    with pytest.raises(BadInput, match="unknown solver 'sphinx'"):
        compare(known.catalogue, DRAW3, "sphinx", "dead-end")
    with pytest.raises(BadInput, match="has no outcome of solver exact"):
        compare(known.catalogue, DRAW3, "exact(nodes=123)", "dead-end", SAMPLES[0])
