"""Tests of the queue: submitting, listing, cancelling and claiming jobs."""

import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta

import psutil
import pytest
from sqlalchemy import update

from catalogue import store
from catalogue.jobs import claims
from catalogue.jobs.queue import STALE, cancel, get_job, list_jobs, submit
from catalogue.schema import JobRow
from engine.dealing.dealers import parse_sample
from engine.errors import BadInput

SAMPLE = parse_sample("thoughtful-1:0-99")


def submit_one(cat: store.Catalogue, solvers: tuple[str, ...] = ("dead-end",)) -> int:
    return submit(cat, "klondike-draw3", SAMPLE, solvers)


def finish(cat: store.Catalogue, job_id: int, runner: str, error: str | None = None) -> bool:
    with cat.begin() as session:
        return claims.finish(session, job_id, runner, error)


def beat(cat: store.Catalogue, job_id: int, runner: str) -> bool:
    with cat.begin() as session:
        return claims.beat(session, job_id, runner)


def age_heartbeat(cat: store.Catalogue, job_id: int, age: timedelta) -> None:
    with cat.begin() as session:
        now = claims.database_time(session)
        session.execute(update(JobRow).where(JobRow.id == job_id).values(heartbeat=now - age))


def test_a_submitted_job(catalogue: store.Catalogue) -> None:
    job_id = submit_one(catalogue, ("dead-end", "exact(nodes=1000)"))
    job = get_job(catalogue, job_id)
    assert list_jobs(catalogue) == [job]
    assert (job.ruleset, job.sample, job.state) == ("klondike-draw3", SAMPLE, "queued")
    assert job.solvers[0] == "dead-end"
    assert job.solvers[1].startswith("exact(nodes=1000")
    assert (job.done, job.total) == (0, 200)
    assert job.rate is job.eta_seconds is job.error is job.runner is job.started_at is None
    assert job.created_at.utcoffset() == timedelta(0)


def test_submitting_is_repeatable(catalogue: store.Catalogue) -> None:
    job_id = submit_one(catalogue)
    assert submit_one(catalogue) == job_id
    other = submit_one(catalogue, ("exact", "dead-end"))
    assert other != job_id
    assert submit_one(catalogue, ("dead-end", "exact")) not in (job_id, other)
    assert submit(catalogue, "klondike-draw1", SAMPLE, ["dead-end"]) != job_id
    assert submit(catalogue, "klondike-draw3", parse_sample("thoughtful-1:0-98"), ["dead-end"]) > 1
    runner = claims.new_runner()
    assert claims.claim_next(catalogue, runner) == job_id
    assert submit_one(catalogue) == job_id
    assert finish(catalogue, job_id, runner)
    assert submit_one(catalogue) == job_id
    assert get_job(catalogue, job_id).state == "done"


def test_submitting_again_what_failed_or_was_cancelled(catalogue: store.Catalogue) -> None:
    job_id = submit_one(catalogue)
    runner = claims.new_runner()
    claims.claim_next(catalogue, runner)
    finish(catalogue, job_id, runner, "it broke")
    job = get_job(catalogue, job_id)
    assert (job.state, job.error) == ("failed", "it broke")
    assert job.finished_at is not None
    assert submit_one(catalogue) == job_id
    job = get_job(catalogue, job_id)
    assert (job.state, job.error, job.runner, job.finished_at) == ("queued", None, None, None)
    cancel(catalogue, job_id)
    assert submit_one(catalogue) == job_id
    assert get_job(catalogue, job_id).state == "queued"


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
        ("klondike-yan", "thoughtful-1:0-9", ["exact"], "exact does not play klondike-yan"),
        ("klondike-draw3", f"pysolfc:{2**63}-{2**63}", ["exact"], "cannot be stored"),
    ],
)
def test_jobs_that_cannot_be(
    sqlite_catalogue: store.Catalogue, ruleset: str, sample: str, solvers: list[str], sentence: str
) -> None:
    with pytest.raises(BadInput, match=sentence):
        submit(sqlite_catalogue, ruleset, parse_sample(sample), solvers)
    assert list_jobs(sqlite_catalogue) == []


def test_cancelling(catalogue: store.Catalogue) -> None:
    job_id = submit_one(catalogue)
    cancel(catalogue, job_id)
    cancel(catalogue, job_id)
    job = get_job(catalogue, job_id)
    assert job.state == "cancelled"
    assert job.finished_at is not None
    assert claims.claim_next(catalogue, claims.new_runner()) is None
    with pytest.raises(BadInput, match="there is no job 999"):
        cancel(catalogue, 999)


def test_cancelling_takes_the_job_from_its_runner(catalogue: store.Catalogue) -> None:
    job_id = submit_one(catalogue)
    runner = claims.new_runner()
    claims.claim_next(catalogue, runner)
    assert beat(catalogue, job_id, runner)
    cancel(catalogue, job_id)
    assert not beat(catalogue, job_id, runner)
    assert not finish(catalogue, job_id, runner)
    assert get_job(catalogue, job_id).state == "cancelled"


def test_what_is_over_cannot_be_cancelled(catalogue: store.Catalogue) -> None:
    job_id = submit_one(catalogue)
    runner = claims.new_runner()
    claims.claim_next(catalogue, runner)
    finish(catalogue, job_id, runner)
    with pytest.raises(BadInput, match=f"job {job_id} cannot be cancelled: it is already done"):
        cancel(catalogue, job_id)


def test_jobs_are_taken_in_order_and_by_one_runner(catalogue: store.Catalogue) -> None:
    first, second = submit_one(catalogue), submit_one(catalogue, ("exact",))
    one, other = claims.new_runner(), claims.new_runner()
    assert claims.claim_next(catalogue, one) == first
    assert claims.claim_next(catalogue, other) == second
    assert claims.claim_next(catalogue, other) is None
    assert not beat(catalogue, first, other)
    job = get_job(catalogue, first)
    assert (job.state, job.runner) == ("running", one)
    assert job.started_at is not None


def test_many_runners_reach_for_the_same_jobs(catalogue: store.Catalogue) -> None:
    url = catalogue.engine.url.render_as_string(hide_password=False)
    wanted = [submit_one(catalogue, (f"exact(nodes={n})",)) for n in range(1, 9)]
    taken: list[int] = []

    def work() -> None:
        runner = claims.new_runner()
        with store.open_catalogue(url) as own:
            while (job_id := claims.claim_next(own, runner)) is not None:
                taken.append(job_id)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == wanted


def test_released_jobs_are_taken_again(catalogue: store.Catalogue) -> None:
    job_id = submit_one(catalogue)
    runner = claims.new_runner()
    claims.claim_next(catalogue, runner)
    started = get_job(catalogue, job_id).started_at
    with catalogue.begin() as session:
        assert claims.release(session, job_id, runner)
    assert get_job(catalogue, job_id).state == "queued"
    assert claims.claim_next(catalogue, claims.new_runner()) == job_id
    assert get_job(catalogue, job_id).started_at == started


def test_a_silent_runner_loses_its_job(catalogue: store.Catalogue) -> None:
    job_id = submit_one(catalogue)
    slow, other = claims.new_runner(), claims.new_runner()
    claims.claim_next(catalogue, slow)
    age_heartbeat(catalogue, job_id, STALE - timedelta(seconds=5))
    assert claims.claim_next(catalogue, other) is None
    assert not get_job(catalogue, job_id).stalled
    age_heartbeat(catalogue, job_id, STALE + timedelta(seconds=1))
    assert get_job(catalogue, job_id).stalled
    assert claims.claim_next(catalogue, other) == job_id
    # It only slept, but the job is no longer its own.
    assert not beat(catalogue, job_id, slow)
    assert not finish(catalogue, job_id, slow)
    assert get_job(catalogue, job_id).runner == other


def test_a_runner_whose_process_is_gone_loses_its_job_at_once(catalogue: store.Catalogue) -> None:
    url = catalogue.engine.url.render_as_string(hide_password=False)
    job_id = submit_one(catalogue)
    program = (
        "from catalogue import store\n"
        "from catalogue.jobs import claims\n"
        f"cat = store.open_catalogue({url!r})\n"
        "print(claims.claim_next(cat, claims.new_runner()), flush=True)\n"
        "input()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"{job_id}\n"
        other = claims.new_runner()
        assert claims.claim_next(catalogue, other) is None
        process.kill()
        while psutil.Process(process.pid).status() != psutil.STATUS_ZOMBIE:
            pass
        # Dead, though its parent has not taken note yet.
        assert claims.claim_next(catalogue, other) == job_id


def test_who_counts_as_dead() -> None:
    host, machine, pid, start, token = claims.new_runner().split("/")
    now = datetime.now(UTC)

    def dead(*parts: str, age: float = 1) -> bool:
        return claims.is_dead("/".join(parts), now - timedelta(seconds=age), now)

    assert not dead(host, machine, pid, start, token)
    assert dead(host, machine, pid, start, token, age=31)
    # The same number, but another process that began at another time.
    assert dead(host, machine, pid, str(float(start) - 100), token)
    gone = next(n for n in range(99_999, 1, -1) if not psutil.pid_exists(n))
    assert dead(host, machine, str(gone), start, token)
    # A runner on another machine can only be judged by its heartbeat.
    assert not dead("elsewhere", machine, str(gone), start, token)
    assert not dead(host, "00000000", str(gone), start, token)
    assert claims.is_dead(None, now, now)
    assert claims.is_dead("anyone", None, now)


def test_an_unknown_job(sqlite_catalogue: store.Catalogue) -> None:
    with pytest.raises(BadInput, match="there is no job 7: `thoughtful job list`"):
        get_job(sqlite_catalogue, 7)
