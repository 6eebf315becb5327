"""Tests of the queue: submitting, listing and steering jobs, and claiming their shards."""

import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import psutil
import pytest
from sqlalchemy import select, update

from catalogue import store
from catalogue.jobs import claims
from catalogue.jobs.claims import Claimed
from catalogue.jobs.queue import (
    STALE,
    cancel,
    change,
    get_job,
    list_jobs,
    locked,
    pause,
    resume,
    retry,
    set_priority,
    submit,
)
from catalogue.outcomes.seals import seal_of_job
from catalogue.schema import JobRow, JobSolverRow, RunnerRow, ShardRow
from engine.dealing.dealers import parse_sample
from engine.errors import BadInput

SAMPLE = parse_sample("thoughtful-1:0-99")


def submit_one(cat: store.Catalogue, solvers: tuple[str, ...] = ("dead-end",)) -> int:
    return submit(cat, "klondike-draw3", SAMPLE, solvers)


def claim(cat: store.Catalogue, runner: int, job_id: int, most: int = 1) -> list[Claimed]:
    """Claim shards as a runner does."""
    with cat.begin() as session:
        found = claims.claim(session, runner, job_id, most)
        if found:
            row = locked(session, job_id)
            change(session, row, state="running", started_at=row.started_at or datetime.now(UTC))
    return found


def add_shards(cat: store.Catalogue, job_id: int, shards: int = 4, deals: int = 25) -> None:
    with cat.begin() as session:
        ranges = [range(k * deals, (k + 1) * deals) for k in range(shards)]
        claims.add_shards(session, job_id, ranges)


def finish(cat: store.Catalogue, job_id: int, error: str | None = None) -> None:
    with cat.begin() as session:
        state = "done" if error is None else "failed"
        now = datetime.now(UTC)
        change(session, locked(session, job_id), state=state, error=error, finished_at=now)


def beat(cat: store.Catalogue, runner: int) -> bool:
    with cat.begin() as session:
        return claims.beat(session, runner)


def complete(cat: store.Catalogue, runner: int, shards: list[Claimed]) -> set[int]:
    with cat.begin() as session:
        return claims.complete(session, runner, [shard.id for shard in shards])


def age_heartbeat(cat: store.Catalogue, runner: int, age: timedelta) -> None:
    with cat.begin() as session:
        now = claims.database_time(session)
        session.execute(update(RunnerRow).where(RunnerRow.id == runner).values(heartbeat=now - age))


def assert_sealed(cat: store.Catalogue) -> None:
    """Every job's seal is that of its columns."""
    with cat.session() as session:
        for job in session.scalars(select(JobRow)):
            row = {column.name: getattr(job, column.name) for column in JobRow.__table__.columns}
            solvers = session.scalars(
                select(JobSolverRow.solver_id)
                .where(JobSolverRow.job_id == job.id)
                .order_by(JobSolverRow.place)
            ).all()
            assert job.seal == seal_of_job(row, solvers)


def test_a_submitted_job(catalogue: store.Catalogue) -> None:
    job_id = submit_one(catalogue, ("dead-end", "exact(nodes=1000)"))
    job = get_job(catalogue, job_id)
    assert list_jobs(catalogue) == [job]
    assert (job.ruleset, job.sample, job.state) == ("klondike-draw3", SAMPLE, "queued")
    assert job.solvers[0] == "dead-end"
    assert job.solvers[1].startswith("exact(nodes=1000")
    assert (job.done, job.total) == (0, 200)
    assert job.rate is job.eta_seconds is job.error is job.heartbeat is job.started_at is None
    assert (job.keep, job.priority, job.until, job.runners) == ("everything", 0, {}, ())
    assert job.created_at.utcoffset() == timedelta(0)


def test_submitting_is_repeatable(catalogue: store.Catalogue) -> None:
    job_id = submit_one(catalogue)
    assert submit_one(catalogue) == job_id
    other = submit_one(catalogue, ("exact", "dead-end"))
    assert other != job_id
    assert submit_one(catalogue, ("dead-end", "exact")) not in (job_id, other)
    assert submit(catalogue, "klondike-draw1", SAMPLE, ["dead-end"]) != job_id
    assert submit(catalogue, "klondike-draw3", parse_sample("thoughtful-1:0-98"), ["dead-end"]) > 1
    verdicts = submit(catalogue, "klondike-draw3", SAMPLE, ["dead-end"], keep="verdicts")
    assert verdicts != job_id
    assert get_job(catalogue, verdicts).keep == "verdicts"
    runner = claims.register(catalogue, 1)
    add_shards(catalogue, job_id)
    assert claim(catalogue, runner, job_id)
    assert submit_one(catalogue) == job_id
    assert get_job(catalogue, job_id).state == "running"
    finish(catalogue, job_id)
    assert submit_one(catalogue) == job_id
    assert get_job(catalogue, job_id).state == "done"
    assert_sealed(catalogue)


def test_submitting_again_what_failed_or_was_cancelled(catalogue: store.Catalogue) -> None:
    job_id = submit_one(catalogue)
    finish(catalogue, job_id, "it broke")
    job = get_job(catalogue, job_id)
    assert (job.state, job.error) == ("failed", "it broke")
    assert job.finished_at is not None
    assert submit_one(catalogue) == job_id
    job = get_job(catalogue, job_id)
    assert (job.state, job.error, job.runners, job.finished_at) == ("queued", None, (), None)
    cancel(catalogue, job_id)
    assert submit_one(catalogue) == job_id
    assert get_job(catalogue, job_id).state == "queued"
    assert_sealed(catalogue)


def test_a_job_that_stopped_by_its_rule_goes_on_with_another(catalogue: store.Catalogue) -> None:
    def again(until: dict[str, float] | None) -> tuple[str, dict[str, float]]:
        assert submit(catalogue, "klondike-draw3", SAMPLE, ["dead-end"], until=until) == job_id
        job = get_job(catalogue, job_id)
        return job.state, job.until

    job_id = submit(catalogue, "klondike-draw3", SAMPLE, ["dead-end"], until={"deals": 10})
    finish(catalogue, job_id)
    with catalogue.begin() as session:
        change(session, locked(session, job_id), error="stopped by its rule")
    assert again(None) == ("done", {"deals": 10})
    assert again({"deals": 10}) == ("done", {"deals": 10})
    assert again({"width": 0.5}) == ("queued", {"width": 0.5})
    assert get_job(catalogue, job_id).error is None
    finish(catalogue, job_id)
    assert again({"deals": 20}) == ("done", {"width": 0.5})  # it is complete
    assert_sealed(catalogue)


def test_submitting_at_once_makes_one_job(catalogue: store.Catalogue) -> None:
    url = catalogue.engine.url.render_as_string(hide_password=False)
    ids = []

    def work() -> None:
        with store.open_catalogue(url) as own:
            ids.append(submit_one(own))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ids == [ids[0]] * 6
    assert len(list_jobs(catalogue)) == 1


@pytest.mark.parametrize(
    ("ruleset", "sample", "solvers", "sentence"),
    [
        ("klondike-draw99", "thoughtful-1:0-9", ["exact"], "draw 99|unknown ruleset"),
        ("klondike-draw3", "thoughtful-1:0-9", ["magic"], "unknown solver 'magic'"),
        ("klondike-draw3", "thoughtful-1:0-9", [], "at least one solver"),
        ("klondike-draw3", "thoughtful-1:0-9", ["dead-end", "dead-end"], "dead-end is named twice"),
        ("klondike-draw3", "thoughtful-1:0-9", ["exact(nodes=0)"], "nodes=0 of exact"),
        ("klondike-yan", "thoughtful-1:0-9", ["shortest"], "shortest does not play klondike-yan"),
        ("klondike-draw3", f"pysolfc:{2**63}-{2**63}", ["exact"], "cannot be stored"),
    ],
)
def test_jobs_that_cannot_be(
    sqlite_catalogue: store.Catalogue, ruleset: str, sample: str, solvers: list[str], sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence):
        submit(sqlite_catalogue, ruleset, parse_sample(sample), solvers)
    assert list_jobs(sqlite_catalogue) == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"keep": "nothing"}, "'nothing' cannot be kept: expected one of everything, verdicts"),
        ({"priority": 1001}, "priority 1001 is out of range"),
        ({"until": {"width": 0}}, "cannot stop at width 0: expected a number of percentage points"),
        ({"until": {"deals": 1.5}}, "cannot stop at deals 1.5: expected a whole number"),
        ({"until": {"cpu_hours": -1}}, "cannot stop at cpu_hours -1"),
        ({"until": {"moon": 1}}, "unknown stop rule 'moon'"),
    ],
)
def test_options_that_cannot_be(
    sqlite_catalogue: store.Catalogue, options: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence):
        submit(sqlite_catalogue, "klondike-draw3", SAMPLE, ["dead-end"], **options)
    assert list_jobs(sqlite_catalogue) == []


def test_cancelling(catalogue: store.Catalogue) -> None:
    job_id = submit_one(catalogue)
    cancel(catalogue, job_id)
    cancel(catalogue, job_id)
    job = get_job(catalogue, job_id)
    assert job.state == "cancelled"
    assert job.finished_at is not None
    with catalogue.session() as session:
        assert claims.open_jobs(session) == []
    with pytest.raises(BadInput, match="there is no job 999"):
        cancel(catalogue, 999)
    assert_sealed(catalogue)


@pytest.mark.parametrize("steer", [cancel, pause, resume])
def test_what_is_over_cannot_be_steered(
    sqlite_catalogue: store.Catalogue, steer: Callable[[store.Catalogue, int], None]
) -> None:
    job_id = submit_one(sqlite_catalogue)
    finish(sqlite_catalogue, job_id)
    with pytest.raises(BadInput, match=f"job {job_id} cannot be .*: it is (already )?done"):
        steer(sqlite_catalogue, job_id)
    with pytest.raises(BadInput, match=f"nothing of job {job_id} has failed: it is done"):
        retry(sqlite_catalogue, job_id)


def test_pausing_and_resuming(catalogue: store.Catalogue) -> None:
    job_id = submit_one(catalogue)
    pause(catalogue, job_id)
    pause(catalogue, job_id)
    assert get_job(catalogue, job_id).state == "paused"
    assert submit_one(catalogue) == job_id
    with catalogue.session() as session:
        assert claims.open_jobs(session) == [(job_id, "paused")]
    resume(catalogue, job_id)
    resume(catalogue, job_id)
    assert get_job(catalogue, job_id).state == "queued"
    pause(catalogue, job_id)
    cancel(catalogue, job_id)
    assert get_job(catalogue, job_id).state == "cancelled"
    assert_sealed(catalogue)


def test_the_most_urgent_job_comes_first(catalogue: store.Catalogue) -> None:
    jobs = [submit_one(catalogue, (f"exact(nodes={n})",)) for n in (1, 2, 3)]
    hurried = submit(catalogue, "klondike-draw3", SAMPLE, ["dead-end"], priority=5)

    def order() -> list[int]:
        with catalogue.session() as session:
            return [job_id for job_id, _ in claims.open_jobs(session)]

    assert order() == [hurried, *jobs]
    set_priority(catalogue, jobs[2], 7)
    set_priority(catalogue, jobs[0], -1)
    assert order() == [jobs[2], hurried, jobs[1], jobs[0]]
    # Submitted again without a priority, it keeps its own.
    assert submit(catalogue, "klondike-draw3", SAMPLE, ["dead-end"]) == hurried
    assert get_job(catalogue, hurried).priority == 5
    with pytest.raises(BadInput, match="priority 2000 is out of range"):
        set_priority(catalogue, hurried, 2000)
    assert_sealed(catalogue)


def test_shards_are_claimed_in_order_and_by_one_runner(catalogue: store.Catalogue) -> None:
    job_id = submit_one(catalogue)
    add_shards(catalogue, job_id)
    one, other = claims.register(catalogue, 1), claims.register(catalogue, 2)
    mine, yours = claim(catalogue, one, job_id, 2), claim(catalogue, other, job_id, 5)
    assert [shard.first for shard in mine] == [0, 25]
    assert [shard.first for shard in yours] == [50, 75]
    assert claim(catalogue, one, job_id) == []
    job = get_job(catalogue, job_id)
    assert (job.state, job.shards, len(job.runners)) == ("running", {"running": 4}, 2)
    assert job.started_at is not None
    assert complete(catalogue, one, mine + yours) == {shard.id for shard in mine}
    assert complete(catalogue, one, mine) == set()
    assert get_job(catalogue, job_id).shards == {"running": 2}
    with catalogue.begin() as session:
        assert claims.live_workers(session) == 3


def test_many_runners_reach_for_the_same_shards(catalogue: store.Catalogue) -> None:
    url = catalogue.engine.url.render_as_string(hide_password=False)
    job_id = submit_one(catalogue)
    add_shards(catalogue, job_id, 40, 2)
    taken: list[int] = []

    def work() -> None:
        with store.open_catalogue(url) as own:
            runner = claims.register(own, 1)
            while True:
                with own.begin() as session:
                    found = claims.claim(session, runner, job_id, 3)
                if not found:
                    return
                taken.extend(shard.first for shard in found)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == list(range(0, 80, 2))


def test_released_shards_are_taken_again(catalogue: store.Catalogue) -> None:
    job_id = submit_one(catalogue)
    add_shards(catalogue, job_id, 2)
    one, other = claims.register(catalogue, 1), claims.register(catalogue, 1)
    (first,) = claim(catalogue, one, job_id)
    (second,) = claim(catalogue, other, job_id)
    started = get_job(catalogue, job_id).started_at
    with catalogue.begin() as session:
        claims.give_back(session, one, [first.id, second.id])
    # The other's is still its own.
    assert get_job(catalogue, job_id).shards == {"waiting": 1, "running": 1}
    assert get_job(catalogue, job_id).state == "running"
    with catalogue.begin() as session:
        claims.leave(session, other)
    assert get_job(catalogue, job_id).state == "queued"
    assert not beat(catalogue, other)
    assert [shard.attempts for shard in claim(catalogue, one, job_id, 9)] == [0, 0]
    assert get_job(catalogue, job_id).started_at == started
    assert_sealed(catalogue)


def test_a_silent_runner_loses_its_shards(catalogue: store.Catalogue) -> None:
    job_id = submit_one(catalogue)
    add_shards(catalogue, job_id, 1)
    slow, other = claims.register(catalogue, 1), claims.register(catalogue, 1)
    shards = claim(catalogue, slow, job_id)
    age_heartbeat(catalogue, slow, STALE - timedelta(seconds=5))
    assert claims.reap(catalogue) == 0
    assert not get_job(catalogue, job_id).stalled
    age_heartbeat(catalogue, slow, STALE + timedelta(seconds=1))
    assert get_job(catalogue, job_id).stalled
    assert claims.reap(catalogue) == 1
    assert get_job(catalogue, job_id).state == "queued"
    (again,) = claim(catalogue, other, job_id)
    assert (again.id, again.attempts) == (shards[0].id, 1)
    # It only slept, but its shards are no longer its own.
    assert not beat(catalogue, slow)
    assert complete(catalogue, slow, shards) == set()
    assert complete(catalogue, other, shards) == {again.id}
    assert_sealed(catalogue)


def test_a_runner_whose_process_is_gone_loses_its_shards_at_once(
    catalogue: store.Catalogue,
) -> None:
    url = catalogue.engine.url.render_as_string(hide_password=False)
    job_id = submit_one(catalogue)
    add_shards(catalogue, job_id, 1)
    program = (
        "from catalogue import store\n"
        "from catalogue.jobs import claims\n"
        f"cat = store.open_catalogue({url!r})\n"
        "runner = claims.register(cat, 1)\n"
        "with cat.begin() as session:\n"
        f"    print(len(claims.claim(session, runner, {job_id}, 9)))\n"
        "print('claimed', flush=True)\n"
        "input()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert [process.stdout.readline() for _ in range(2)] == ["1\n", "claimed\n"]
        other = claims.register(catalogue, 1)
        assert claims.reap(catalogue) == 0
        assert claim(catalogue, other, job_id) == []
        process.kill()
        while psutil.Process(process.pid).status() != psutil.STATUS_ZOMBIE:
            pass
        # Dead, though its parent has not taken note yet.
        assert claims.reap(catalogue) == 1
        assert len(claim(catalogue, other, job_id)) == 1


def test_a_shard_that_fails_is_narrowed_down(catalogue: store.Catalogue) -> None:
    job_id = submit_one(catalogue)
    add_shards(catalogue, job_id, 1, 4)
    runner = claims.register(catalogue, 1)
    guilty = 2
    suspects: list[bool] = []
    for _ in range(20):
        found = claim(catalogue, runner, job_id)
        if not found:
            break
        (shard,) = found
        if guilty in shard.seeds:
            with catalogue.begin() as session:
                if shard.deals > 1:
                    claims.split(session, runner, shard, suspicion="its workers died")
                else:
                    state = "waiting" if shard.attempts == 0 else "failed"
                    claims.put_off(session, runner, shard, state, "it broke")
            suspects.append(shard.suspect)
        else:
            complete(catalogue, runner, [shard])
    with catalogue.session() as session:
        rows = session.execute(
            select(ShardRow.first_seed, ShardRow.deals, ShardRow.state, ShardRow.attempts)
        ).all()
    assert rows == [(guilty, 1, "failed", 2)]
    assert suspects == [False, True, True, True]
    finish(catalogue, job_id, "1 shard failed")
    assert retry(catalogue, job_id) == 1
    job = get_job(catalogue, job_id)
    assert (job.state, job.error, job.shards) == ("queued", None, {"waiting": 1})
    assert_sealed(catalogue)


def test_who_counts_as_dead() -> None:
    host, machine, pid, start, token = claims.new_runner().split("/")
    now = datetime.now(UTC)

    def dead(*parts: str, age: float = 1) -> bool:
        return claims.is_dead("/".join(parts), now - timedelta(seconds=age), now)

    assert not dead(host, machine, pid, start, token)
    assert dead(host, machine, pid, start, token, age=31)
    assert not dead(host, machine, pid, start, token, age=-29)
    assert dead(host, machine, pid, start, token, age=-31)  # the clock was set back
    # The same number, but another process that began at another time.
    assert dead(host, machine, pid, str(float(start) - 100), token)
    gone = next(n for n in range(99_999, 1, -1) if not psutil.pid_exists(n))
    assert dead(host, machine, str(gone), start, token)
    # A runner on another machine can only be judged by its heartbeat.
    assert not dead("elsewhere", machine, str(gone), start, token)
    assert not dead(host, "00000000", str(gone), start, token)
    assert not claims.is_dead("anyone", now, now)


def test_an_unknown_job(sqlite_catalogue: store.Catalogue) -> None:
    with pytest.raises(BadInput, match="there is no job 7: `thoughtful job list`"):
        get_job(sqlite_catalogue, 7)
