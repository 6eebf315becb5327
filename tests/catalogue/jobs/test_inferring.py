"""Tests of what follows from other rulesets: it decides deals, and jobs that infer skip them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import select

from catalogue import asking, store
from catalogue.blocks import (
    EVERYTHING,
    PROVED,
    UNRESOLVED,
    UNWINNABLE,
    VERDICTS,
    WINNABLE,
    WON,
    Outcomes,
)
from catalogue.jobs import runner
from catalogue.jobs.estimate import estimate
from catalogue.jobs.queue import JobInfo, Submission, get_job, submit
from catalogue.jobs.task import read_task
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.writing import write_chunk
from catalogue.reading import bounds
from catalogue.reading.block_reader import read_statuses
from catalogue.reading.contenders import contenders
from catalogue.reading.deal_detail import deal_detail
from catalogue.reading.deal_list import DealFilter, list_deals
from catalogue.schema import BlockRow, RulesetRow, SolverRow, StatusBlockRow
from catalogue.verify.running import verify
from engine.dealing.dealers import get_dealer, parse_sample
from engine.errors import BadInput
from engine.games import game_of
from engine.replay import wins
from engine.rulesets import parse_ruleset
from samples import sizes
from solvers.analysis import Verdict
from solvers.outcome import Outcome, Result
from solvers.solver import parse_solver

EXACT = "exact(nodes=2000)"
EXACT_NAME = str(parse_solver(EXACT))


def submitted(
    cat: store.Catalogue,
    ruleset: str,
    seeds: str,
    solvers: Sequence[str] = (EXACT,),
    keep: str = EVERYTHING,
    infer: bool = True,
) -> int:
    sample = parse_sample(f"thoughtful-1:{seeds}")
    return submit(cat, ruleset, sample, list(solvers), keep=keep, infer=infer)


def done_here(cat: store.Catalogue, job_id: int, seeds: range) -> None:
    """Do a shard of a job in this process."""
    task = read_task(cat, job_id)
    with cat.session() as session:
        work = task.work(session, seeds)
    if work is not None:
        with cat.begin() as session:
            task.store(session, [work.function(*work.arguments)])


def solved(cat: store.Catalogue, ruleset: str, seeds: str, solver: str, keep: str) -> None:
    """Solve deals without a runner."""
    job_id = submitted(cat, ruleset, seeds, [solver], keep, infer=False)
    sample = get_job(cat, job_id).sample
    done_here(cat, job_id, range(sample.first, sample.last + 1))


def known(cat: store.Catalogue, ruleset: str) -> dict[str, dict[int, int]]:
    """The codes of the results of each solver under a ruleset, by seed."""
    found: dict[str, dict[int, int]] = {}
    with cat.session() as session:
        for name, packed in session.execute(
            select(SolverRow.name, BlockRow.columns)
            .join(SolverRow, SolverRow.id == BlockRow.solver_id)
            .join(RulesetRow, RulesetRow.id == BlockRow.ruleset_id)
            .where(RulesetRow.slug == ruleset)
        ):
            columns = Outcomes.decode(packed)
            tried = np.flatnonzero(columns.result).tolist()
            found[name] = {columns.first + at: int(columns.result[at]) for at in tried}
    return found


def ended(cat: store.Catalogue, scheduler: str, job_id: int) -> JobInfo:
    runner.run(cat, scheduler=scheduler, only=[job_id])
    return get_job(cat, job_id)


def skipped(cat: store.Catalogue, ruleset: str) -> dict[str, set[int]]:
    """The seeds that each solver has skipped under a ruleset, of those that have skipped any."""
    with cat.session() as session:
        rows = session.execute(
            select(SolverRow.name, BlockRow.columns)
            .join(SolverRow, SolverRow.id == BlockRow.solver_id)
            .join(RulesetRow, RulesetRow.id == BlockRow.ruleset_id)
            .where(RulesetRow.slug == ruleset)
        ).all()
    found = {name: Outcomes.decode(packed) for name, packed in rows}
    return {
        name: set((np.flatnonzero(each.skipped) + each.first).tolist())
        for name, each in found.items()
        if each.skipped.any()
    }


def statuses(cat: store.Catalogue, ruleset: str) -> dict[int, int]:
    """The codes of the statuses of the deals of the first block, by seed."""
    with cat.session() as session:
        ruleset_id = session.scalars(select(RulesetRow.id).where(RulesetRow.slug == ruleset)).one()
        found = read_statuses(session, ruleset_id, 1, 0)
    places = np.flatnonzero(found.status).tolist()
    return {found.first + at: int(found.status[at]) for at in places}


@pytest.mark.parametrize("keep", [EVERYTHING, VERDICTS])
def test_a_win_under_stricter_rules_is_not_solved(
    catalogue: store.Catalogue, scheduler: str, keep: str
) -> None:
    cat = catalogue
    solved(cat, "klondike-draw3", "0-39", EXACT, keep)
    wins = {seed for seed, code in known(cat, "klondike-draw3")[EXACT_NAME].items() if code == WON}
    assert 5 < len(wins) < 35
    job = ended(cat, scheduler, submitted(cat, "klondike-draw1", "0-59", keep=keep))
    assert (job.state, job.done, job.total, job.inferred) == ("done", 60, 60, len(wins))
    found = known(cat, "klondike-draw1")
    assert skipped(cat, "klondike-draw1") == {EXACT_NAME: wins}
    assert found.keys() == {EXACT_NAME}
    assert found[EXACT_NAME].keys() == set(range(60)) - wins
    assert {statuses(cat, "klondike-draw1")[seed] for seed in wins} == {WINNABLE}
    bound = bounds.bounds_of(cat, "klondike-draw1", job.sample)
    recorded = bounds.history(cat, "klondike-draw1", job.sample)[-1]
    assert (bound.n, recorded.n) == (60, 60)
    assert bound.winnable == recorded.winnable >= len(wins)
    assert verify(cat, share=1.0, resolve_share=0.0).faults == ()
    # Nothing is left of it.
    assert submitted(cat, "klondike-draw1", "0-59", keep=keep) == job.id
    again = ended(cat, scheduler, submitted(cat, "klondike-draw1", "0-49", keep=keep))
    assert (again.done, again.cpu_ms, again.inferred) == (50, 0.0, 0)
    # A job that does not infer has them solved.
    full = submitted(cat, "klondike-draw1", "0-59", keep=keep, infer=False)
    assert full not in (job.id, again.id)
    done_here(cat, full, range(60))
    assert skipped(cat, "klondike-draw1") == {}
    assert known(cat, "klondike-draw1")[EXACT_NAME].keys() == set(range(60))
    assert verify(cat, share=1.0, resolve_share=0.0).faults == ()


@pytest.mark.parametrize("keep", sizes(VERDICTS, EVERYTHING))
def test_what_is_unwinnable_under_laxer_rules_is_not_solved(
    catalogue: store.Catalogue, keep: str
) -> None:
    cat = catalogue
    solved(cat, "klondike-draw1", "0-299", "dead-end", keep)
    dead = {seed for seed, code in known(cat, "klondike-draw1")["dead-end"].items() if code == 3}
    assert dead
    job_id = submitted(cat, "klondike-draw3-redeals1", "0-299", ["dead-end"], keep)
    # Stopped in between, and taken up again; the first shard twice.
    for seeds in (range(100), range(100), range(50, 300)):
        done_here(cat, job_id, seeds)
    assert skipped(cat, "klondike-draw3-redeals1") == {"dead-end": dead}
    assert known(cat, "klondike-draw3-redeals1")["dead-end"].keys() == set(range(300)) - dead
    found = statuses(cat, "klondike-draw3-redeals1")
    assert found.keys() == set(range(300))
    assert {found[seed] for seed in dead} == {UNWINNABLE}
    assert get_job(cat, job_id).inferred == len(dead)
    with cat.session() as session:
        task = read_task(cat, job_id)
        assert task.count(session, range(300)) == (300, 300)
        assert task.work(session, range(300)) is None


def stated(cat: store.Catalogue, ruleset: str, seed: int, result: Result, moves: bytes) -> None:
    """Store an outcome of a solver of another program."""
    rules = parse_ruleset(ruleset)
    cards = get_dealer("thoughtful-1").deal_block(seed, 1, game_of(rules))
    outcome = Outcome(result, 1, None, moves or None)
    chunk = Chunk(
        rules, "thoughtful-1", (seed,), cards, ((SolverKey("x", 1, "x", ()), (outcome,)),)
    )
    with cat.begin() as session:
        write_chunk(session, chunk)


def test_contradictory_sources_infer_nothing(sqlite_catalogue: store.Catalogue) -> None:
    """One of them is wrong, so the deal is solved."""
    cat = sqlite_catalogue
    rules = parse_ruleset("klondike-draw3")
    cards = get_dealer("thoughtful-1").deal_block(0, 20, game_of(rules))
    outcomes = parse_solver(EXACT).solve(cards, rules)
    seeds = [seed for seed, outcome in enumerate(outcomes) if outcome.moves][:3]
    for seed in seeds:
        stated(cat, "klondike-draw3", seed, Result.WON, outcomes[seed].moves or b"")
    stated(cat, "klondike-draw1-build-any-suit", seeds[1], Result.UNWINNABLE, b"")
    job_id = submitted(cat, "klondike-draw1", "0-19")
    done_here(cat, job_id, range(20))
    assert skipped(cat, "klondike-draw1") == {EXACT_NAME: {seeds[0], seeds[2]}}
    # It is an alarm between rulesets.
    faults = verify(cat, only=["rulesets"]).faults
    assert {fault.where for fault in faults} == {f"thoughtful-1:{seeds[1]}"}
    assert {fault.kind for fault in faults} == {"alarm"}


def test_undecided_deals_are_decided_by_other_rulesets(catalogue: store.Catalogue) -> None:
    """Whichever ruleset is solved first, also while the other one is; a contradiction ends it."""
    cat, seeds = catalogue, range(40)
    dead = "dead-end"
    solved(cat, "klondike-draw1", "0-29", dead, VERDICTS)
    before = statuses(cat, "klondike-draw1")
    assert set(before.values()) == {UNRESOLVED, UNWINNABLE}
    listed = list_deals(cat, DealFilter("klondike-draw1", status="winnable"))
    assert listed.total == 0
    solved(cat, "klondike-draw3", "0-39", EXACT, VERDICTS)
    strict = known(cat, "klondike-draw3")[EXACT_NAME]
    wins = {seed for seed in seeds if strict[seed] == WON}
    assert wins
    after = statuses(cat, "klondike-draw1")
    # Only of deals that are attempted: others would be no fair sample.
    assert after.keys() == set(range(30))
    assert all(after[s] == (WINNABLE if s in wins else before[s]) for s in range(30))
    listed = list_deals(cat, DealFilter("klondike-draw1", status="winnable"))
    assert listed.total == len(wins & set(range(30)))
    solved(cat, "klondike-draw1", "30-39", dead, VERDICTS)
    assert statuses(cat, "klondike-draw1").keys() == set(seeds)
    assert all(statuses(cat, "klondike-draw1")[seed] == WINNABLE for seed in wins)
    proved = [s for s in seeds if known(cat, "klondike-draw1")[dead][s] == PROVED]
    assert all(statuses(cat, "klondike-draw3")[seed] == UNWINNABLE for seed in proved)
    assert verify(cat, share=1.0, resolve_share=0.1).faults == ()
    # Under still laxer rules one is called unwinnable: nothing follows between the two.
    seed = min(wins)
    stated(cat, "klondike-draw1-build-any-suit", seed, Result.UNWINNABLE, b"")
    assert statuses(cat, "klondike-draw1")[seed] == UNRESOLVED
    kinds = {(fault.kind, fault.where) for fault in verify(cat, resolve_share=0.0).faults}
    assert kinds == {("alarm", f"thoughtful-1:{seed}")}


def test_an_estimate_counts_what_follows(sqlite_catalogue: store.Catalogue) -> None:
    cat = sqlite_catalogue
    rules, solver = parse_ruleset("klondike-draw1"), parse_solver(EXACT)
    sample = parse_sample("thoughtful-1:0-29")
    asked = Submission(rules, sample, [solver], infer=True)
    nothing = estimate(cat, asked)
    assert (nothing.outcomes, nothing.inferred) == (30, 0)
    solved(cat, "klondike-draw3", "0-29", EXACT, EVERYTHING)
    wins = sum(code == WON for code in known(cat, "klondike-draw3")[EXACT_NAME].values())
    some = estimate(cat, asked)
    assert (some.outcomes, some.inferred) == (30 - wins, wins)
    assert estimate(cat, replace(asked, infer=False)).inferred is None


def test_players_do_not_infer(sqlite_catalogue: store.Catalogue) -> None:
    with pytest.raises(BadInput, match="greedy is a player"):
        submitted(sqlite_catalogue, "klondike-draw1", "0-9", ["greedy"])


@pytest.mark.parametrize("keep", sizes(EVERYTHING, VERDICTS))
def test_a_deal_tells_what_its_outcomes_follow_from(
    sqlite_catalogue: store.Catalogue, keep: str
) -> None:
    """With a solution, translated from that of the source, which may have to be found again."""
    cat = sqlite_catalogue
    solved(cat, "klondike-draw3", "0-19", EXACT, keep)
    done_here(cat, submitted(cat, "klondike-draw1", "0-19", keep=keep), range(20))
    seed = min(skipped(cat, "klondike-draw1")[EXACT_NAME])
    # However slow: the times of one test depend on the machine.
    detail = deal_detail(cat, f"thoughtful-1:{seed}", quick_seconds=1e9)
    (inferred,) = (o for o in detail.outcomes if o.ruleset == "klondike-draw1")
    (source,) = (o for o in detail.outcomes if o.ruleset == "klondike-draw3")
    assert (source.follows_from, inferred.follows_from) == (None, "klondike-draw3")
    assert inferred.by == "follows from klondike-draw3"
    assert inferred.remark is None
    assert source.moves is not None
    assert inferred.moves is not None
    game, rules = detail.game, parse_ruleset("klondike-draw1")
    assert wins(game.start(detail.cards, rules), game.unpack(inferred.moves))
    assert inferred.moves == game.translated(
        detail.cards, source.moves, parse_ruleset("klondike-draw3"), rules
    )
    status = detail.status("klondike-draw1")
    assert status is not None
    assert (status.status, status.wins, status.nodes) == ("winnable", 0, None)
    start = game.start(detail.cards, rules)
    question = asking.Question(start, start, deal=detail.cards, name=detail.deal)
    answer = asking.known(question, cat)
    assert answer is not None
    assert (answer.verdict, answer.follows_from) == (Verdict.WINNABLE, "klondike-draw3")
    assert answer.solver == f"{source.solver} v{source.version}"


def test_a_solver_that_has_skipped_everything_is_not_compared(
    sqlite_catalogue: store.Catalogue,
) -> None:
    cat = sqlite_catalogue
    solved(cat, "klondike-draw3", "0-19", EXACT, VERDICTS)
    seed = min(s for s, code in known(cat, "klondike-draw3")[EXACT_NAME].items() if code == WON)
    done_here(cat, submitted(cat, "klondike-draw1", f"{seed}-{seed}"), range(seed, seed + 1))
    assert skipped(cat, "klondike-draw1") == {EXACT_NAME: {seed}}
    assert contenders(cat, "klondike-draw1") == []
    assert statuses(cat, "klondike-draw1") == {seed: WINNABLE}
    with cat.session() as session:
        assert session.scalars(select(StatusBlockRow.deals)).all() == [20, 1]
