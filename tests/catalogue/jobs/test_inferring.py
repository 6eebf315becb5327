"""Tests of jobs that infer: what follows is not solved, and is kept as what it is."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from sqlalchemy import select

from catalogue import asking, store
from catalogue.blocks import EVERYTHING, PROVED, VERDICTS, WON, Outcomes
from catalogue.inference.inferred import inferred_from, source_of
from catalogue.jobs import runner
from catalogue.jobs.estimate import estimate
from catalogue.jobs.queue import JobInfo, get_job, submit
from catalogue.jobs.task import read_task
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.writing import write_chunk
from catalogue.reading import bounds
from catalogue.reading.comparison import compare, contenders
from catalogue.reading.deal_detail import deal_detail
from catalogue.reading.samples import outcome_counts
from catalogue.schema import BlockRow, OutcomeRow, RulesetRow, SolverRow
from catalogue.verify.running import verify
from engine.dealing.dealers import get_dealer, parse_sample
from engine.errors import BadInput
from engine.games import game_of
from engine.replay import wins
from engine.rulesets import parse_ruleset
from samples import sizes
from solvers.analysis import Verdict
from solvers.outcome import Outcome, Result
from solvers.registry import parse_solver

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
    """Do a piece of a job in this process."""
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
    assert found.pop("inferred(from=klondike-draw3)") == dict.fromkeys(sorted(wins), WON)
    assert found.keys() == {EXACT_NAME}
    assert found[EXACT_NAME].keys() == set(range(60)) - wins
    bound = bounds.bounds_of(cat, "klondike-draw1", job.sample)
    recorded = bounds.history(cat, "klondike-draw1", job.sample)[-1]
    assert (bound.n, recorded.n) == (60, 60)
    assert bound.winnable == recorded.winnable >= len(wins)
    assert verify(cat, share=1.0, resolve_share=0.0).faults == ()
    # Nothing is left of it, and inferred outcomes are no sources themselves.
    assert submitted(cat, "klondike-draw1", "0-59", keep=keep) == job.id
    again = ended(cat, scheduler, submitted(cat, "klondike-draw1", "0-49", keep=keep))
    assert (again.done, again.cpu_ms) == (50, 0.0)


@pytest.mark.parametrize("keep", sizes(VERDICTS, EVERYTHING))
def test_what_is_unwinnable_under_laxer_rules_is_not_solved(
    catalogue: store.Catalogue, keep: str
) -> None:
    cat = catalogue
    solved(cat, "klondike-draw1", "0-299", "dead-end", keep)
    dead = {seed for seed, code in known(cat, "klondike-draw1")["dead-end"].items() if code == 3}
    assert dead
    job_id = submitted(cat, "klondike-draw3-redeals1", "0-299", ["dead-end"], keep)
    # Stopped in between, and taken up again; the first piece twice.
    for seeds in (range(100), range(100), range(50, 300)):
        done_here(cat, job_id, seeds)
    found = known(cat, "klondike-draw3-redeals1")
    assert found.pop("inferred(from=klondike-draw1)") == dict.fromkeys(sorted(dead), PROVED)
    assert found["dead-end"].keys() == set(range(300)) - dead
    with cat.session() as session:
        task = read_task(cat, job_id)
        assert task.count(session, range(300)) == (300, 300)
        assert task.work(session, range(300)) is None
        rows = session.execute(
            select(OutcomeRow.nodes, OutcomeRow.cpu_us)
            .join(SolverRow, SolverRow.id == OutcomeRow.solver_id)
            .where(SolverRow.method == "inferred")
        ).all()
    assert Counter(map(tuple, rows)) == ({(0, None): len(dead)} if keep == EVERYTHING else {})


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
    inferred = known(cat, "klondike-draw1")["inferred(from=klondike-draw3)"]
    assert inferred == {seeds[0]: WON, seeds[2]: WON}
    # It is an alarm between rulesets, also of the inferred ones.
    faults = verify(cat, only=["rulesets"]).faults
    assert {fault.where for fault in faults} == {f"thoughtful-1:{seeds[1]}"}
    assert {fault.kind for fault in faults} == {"alarm"}


def test_verdicts_give_no_solutions(sqlite_catalogue: store.Catalogue) -> None:
    """Where everything is to be kept, wins get solutions as soon as their source has any."""
    cat = sqlite_catalogue
    solved(cat, "klondike-draw3", "0-29", EXACT, VERDICTS)
    done_here(cat, submitted(cat, "klondike-draw1", "0-14", keep=VERDICTS), range(15))
    inferred = known(cat, "klondike-draw1")["inferred(from=klondike-draw3)"]
    assert inferred
    solved(cat, "klondike-draw3", "0-29", EXACT, EVERYTHING)
    job_id = submitted(cat, "klondike-draw1", "0-29")
    done_here(cat, job_id, range(30))
    found = known(cat, "klondike-draw1")
    # Those that were inferred before get the solutions of their sources.
    assert not found[EXACT_NAME].keys() & inferred.keys()
    assert found["inferred(from=klondike-draw3)"].keys() > inferred.keys()
    with cat.session() as session:
        assert read_task(cat, job_id).count(session, range(30)) == (30, 30)
    assert verify(cat, share=1.0, resolve_share=0.0).faults == ()


def test_an_estimate_counts_what_follows(sqlite_catalogue: store.Catalogue) -> None:
    cat = sqlite_catalogue
    rules, solver = parse_ruleset("klondike-draw1"), parse_solver(EXACT)
    sample = parse_sample("thoughtful-1:0-29")
    nothing = estimate(cat, rules, sample, [solver], infer=True)
    assert (nothing.outcomes, nothing.inferred) == (30, 0)
    solved(cat, "klondike-draw3", "0-29", EXACT, EVERYTHING)
    wins = sum(code == WON for code in known(cat, "klondike-draw3")[EXACT_NAME].values())
    some = estimate(cat, rules, sample, [solver], infer=True)
    assert (some.outcomes, some.inferred) == (30 - wins, wins)
    assert estimate(cat, rules, sample, [solver]).inferred is None


def test_players_do_not_infer(sqlite_catalogue: store.Catalogue) -> None:
    with pytest.raises(BadInput, match="greedy is a player"):
        submitted(sqlite_catalogue, "klondike-draw1", "0-9", ["greedy"])


def test_names_tell_the_source() -> None:
    assert source_of(inferred_from("klondike-draw6").name) == "klondike-draw6"
    assert source_of(EXACT_NAME) is None
    assert source_of("inferred") is None


@pytest.mark.parametrize("keep", sizes(EVERYTHING, VERDICTS))
def test_a_deal_tells_what_its_outcomes_follow_from(
    sqlite_catalogue: store.Catalogue, keep: str
) -> None:
    """With a solution, translated from that of the source, which may have to be found again."""
    cat = sqlite_catalogue
    solved(cat, "klondike-draw3", "0-19", EXACT, keep)
    done_here(cat, submitted(cat, "klondike-draw1", "0-19", keep=keep), range(20))
    seed = min(known(cat, "klondike-draw1")["inferred(from=klondike-draw3)"])
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
    assert (status.status, status.wins, status.nodes) == ("winnable", 1, None)
    start = game.start(detail.cards, rules)
    question = asking.Question(start, start, deal=detail.cards, name=detail.deal)
    answer = asking.known(question, cat)
    assert answer is not None
    assert (answer.verdict, answer.follows_from) == (Verdict.WINNABLE, "klondike-draw3")


def test_inferred_outcomes_are_not_compared(sqlite_catalogue: store.Catalogue) -> None:
    cat = sqlite_catalogue
    solved(cat, "klondike-draw3", "0-19", EXACT, VERDICTS)
    done_here(cat, submitted(cat, "klondike-draw1", "0-19", keep=VERDICTS), range(20))
    names = [each.name for each in contenders(cat, "klondike-draw1")]
    assert names == [EXACT_NAME]
    inferred = "inferred(from=klondike-draw3)"
    with pytest.raises(BadInput, match="is no solver"):
        compare(cat, "klondike-draw1", EXACT, inferred, parse_sample("thoughtful-1:0-19"))
    with cat.session() as session:
        ruleset_id = session.scalars(
            select(RulesetRow.id).where(RulesetRow.slug == "klondike-draw1")
        ).one()
        solver_id = session.scalars(select(SolverRow.id).where(SolverRow.name == inferred)).one()
        counts = outcome_counts(session, ruleset_id, solver_id, "thoughtful-1", 0, 20)
    assert (counts.nodes, counts.cpu_ms, counts.lost) == (0, 0.0, 0)
    assert counts.attempted == counts.won > 0
