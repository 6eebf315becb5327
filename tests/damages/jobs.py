"""Damage to jobs and what belongs to them: runners, shards, bounds; and to verifications."""

from damages.damage import BOUND, GREEDY, Damage, change

JOBS = [
    Damage("job.id", "UPDATE job SET id = 77 WHERE id = 1", "job 77"),
    change("job.kind", "'chores'", "id = 1", "kind is 'chores'"),
    change("job.kind of another", "'regrets'", "id = 1", "job 1"),
    change("job.ruleset_id", "2", "id = 1", "job 1"),
    change("job.dealer", "'aunt'", "id = 1", "job: job 1"),
    change("job.first_seed", "5", "id = 1", "it is done, but"),
    Damage("job.deals", "UPDATE job SET deals = 20, total = 60, done = 60 WHERE id = 1", "but 48"),
    change("job.keep", "'verdicts'", "id = 1", "seal: job 1"),
    change("job.keep unknown", "'nothing'", "id = 1", "keep is 'nothing'"),
    change("job.priority", "9", "id = 1", "seal: job 1"),
    change("job.until", "'{\"deals\": 5}'", "id = 1", "seal: job 1"),
    change("job.state", "'asleep'", "id = 1", "state is 'asleep'"),
    change("job.state queued", "'queued'", "id = 1", "but is still open"),
    Damage(
        "job.state done",
        "UPDATE job SET state = 'done', finished_at = created_at WHERE id = 4",
        "it is done, but 0 of 100",
    ),
    change("job.total", "100", "id = 1", "its total is 100"),
    change("job.done", "5", "id = 1", "done is 5"),
    change("job.done over total", "total + 1", "id = 1", "more than its total"),
    change("job.next_seed", "900", "id = 1", "next seed is not in its sample"),
    change("job.cpu_ms", "-1.0", "id = 1", "cpu_ms is -1.0"),
    change("job.cpu_ms less", "0.5", "id = 1", "seal: job 1"),
    change("job.rate", "'fast'", "id = 1", "rate is 'fast'"),
    change("job.error", "'rain'", "id = 1", "seal: job 1"),
    change("job.created_at", "'2020-01-01 00:00:00.000000'", "id = 1", "seal: j"),
    change("job.started_at", "NULL", "id = 1", "was never started"),
    change("job.finished_at", "NULL", "id = 1", "it has ended at no time"),
    change("job.seal", "5", "id = 1", "seal: job 1"),
    Damage(
        "job done over unsolved seeds",
        "INSERT INTO job SELECT 88, kind, ruleset_id, dealer, 5000, deals, keep, priority, until, "
        "state, total, done, 5016, cpu_ms, rate, error, created_at, started_at, finished_at, seal, "
        "inferred FROM job WHERE id = 1; "
        "INSERT INTO job_solver SELECT 88, place, solver_id FROM job_solver WHERE job_id = 1",
        "it is done, but 0 of 48 outcomes are stored",
    ),
    Damage("job missing", "DELETE FROM job WHERE id = 1", "its job is missing"),
    change("job_solver.job_id", "99", "job_id = 1", "its job is missing"),
    change("job_solver.place", "7", "place = 0", "have the places"),
    change("job_solver.solver_id", "99", "place = 0", "its solver is mi"),
    Damage(
        "job_solver.solver_id of another",
        f"UPDATE job_solver SET solver_id = {GREEDY} WHERE job_id = 4",
        "seal: job 4",
    ),
    Damage("job_solver missing", "DELETE FROM job_solver WHERE job_id = 1", "have the places none"),
    Damage("runner.id", "UPDATE runner SET id = 9", "its runner is missing"),
    Damage("runner.name", "UPDATE runner SET name = x'00'", "name is X'00'"),
    Damage(
        "runner.provenance_id",
        "UPDATE runner SET provenance_id = 99",
        "runner 1: its provenance is missing",
    ),
    Damage("runner.workers", "UPDATE runner SET workers = -1", "workers is -1"),
    Damage("runner.started_at", "UPDATE runner SET started_at = 5", "started_at is 5"),
    Damage("runner.heartbeat", "UPDATE runner SET heartbeat = 'never'", "heartbeat is 'never'"),
    Damage("runner missing", "DELETE FROM runner", "its runner is missing"),
    Damage(
        "shard.id", "UPDATE shard SET job_id = 99, id = 99 WHERE id = 1", "shard 99: its job is m"
    ),
    change("shard.job_id", "1", "id = 1", "are not those of its job"),
    change("shard.first_seed", "5000", "id = 1", "are not those of its job"),
    change("shard.deals", "5000", "id = 1", "are not those of its job"),
    change("shard.state", "'asleep'", "id = 1", "state is 'asleep'"),
    change("shard.state running", "'running'", "id = 2", "a runner if it runs"),
    change("shard.runner_id", "99", "id = 1", "its runner is missing"),
    change("shard.attempts", "-1", "id = 1", "attempts is -1"),
    change("shard.claimed_at", "'late'", "id = 1", "claimed_at is 'late'"),
    change("shard.claimed_at before", "NULL", "state = 'running'", "claimed at some time"),
    change("shard.deals fewer", "5", "state = 'waiting'", "neither stored nor in a shard"),
    Damage("shard", "DELETE FROM shard WHERE state = 'waiting'", "neither stored nor in a shard"),
    Damage(
        "shard twice",
        "INSERT INTO shard (job_id, first_seed, deals, state, attempts) "
        "SELECT job_id, first_seed, deals, state, attempts FROM shard WHERE state = 'waiting'",
        "is also one of shard",
    ),
    change("shard.state failed", "'failed'", "state = 'waiting'", "its error is not told"),
    change("job.next_seed lower", "next_seed - 10", "state = 'running'", "are not before"),
    change("job.next_seed higher", "next_seed + 10", "state = 'running'", "neither stored nor in"),
    change("job.rate of the past", "7.0", "id = 1", "has a rate, but has ended"),
    change("runner.name empty", "''", "id = 1", "it has no name"),
    change("shard.error", "x'00'", "id = 1", "error is X'00'"),
    change("bound.id", "999", f"id = {BOUND}", "seal: bound"),
    change("bound.ruleset_id", "2", f"id = {BOUND}", "ruleset_id is 2"),
    change("bound.n", "999", f"id = {BOUND}", "n is 999"),
    Damage(
        "bound.winnable",
        f"UPDATE bound SET winnable = 15, n = 16 WHERE id = {BOUND}",
        "winnable is 15",
    ),
    change("bound.winnable less", "0", f"id = {BOUND}", "seal: bound"),
    change("bound.unwinnable", "9", f"id = {BOUND}", "bound"),
    change("bound.winnable and all", "n + 1", f"id = {BOUND}", "more deals dec"),
    change("bound.dealer", "'pysolfc'", f"id = {BOUND}", "dealer is pysolfc"),
    change("bound.first_seed", "3", f"id = {BOUND}", "first_seed is 3"),
    change("bound.job_id", "77", f"id = {BOUND}", "its job is missing"),
    change("bound.job_id gone", "NULL", f"id = {BOUND}", "seal: bound"),
    change("bound.created_at", "'2020-01-01 00:00:00.000000'", f"id = {BOUND}", "seal: bound"),
    change("bound.seal", "5", f"id = {BOUND}", "seal: bound"),
    Damage(
        "bound of the middle missing", f"DELETE FROM bound WHERE id = {BOUND}", "a bound before it"
    ),
    Damage(
        "bound of the end missing",
        "DELETE FROM bound WHERE id = (SELECT max(id) FROM bound WHERE job_id = 1)",
        "recounted it is 16",
    ),
    Damage("bound missing", "DELETE FROM bound", "it is done, but has no bound"),
    Damage(
        "bound doubled",
        "INSERT INTO bound SELECT 99, ruleset_id, dealer, first_seed, n, winnable, unwinnable, "
        f"job_id, created_at, seal FROM bound WHERE id = {BOUND}",
        "bound 99",
    ),
    Damage("verification.id", "UPDATE verification SET id = 9", "seal: verification 9"),
    Damage(
        "verification.state", "UPDATE verification SET state = 'stopped'", "seal: verification 1"
    ),
    Damage(
        "verification.options",
        "UPDATE verification SET options = json_set(options, '$.seed', 5)",
        "seal: verification 1",
    ),
    Damage(
        "verification.started_at",
        "UPDATE verification SET started_at = '2020-01-01 00:00:00.000000'",
        "seal: verification 1",
    ),
    Damage(
        "verification.finished_at",
        "UPDATE verification SET finished_at = NULL",
        "seal: verification",
    ),
    Damage(
        "verification.progress", "UPDATE verification SET progress = '{}'", "seal: verification 1"
    ),
    Damage(
        "verification.checked", "UPDATE verification SET checked = '{}'", "seal: verification 1"
    ),
    Damage("verification.faults", "UPDATE verification SET faults = 5", "seal: verification 1"),
    Damage(
        "verification.findings", "UPDATE verification SET findings = '{}'", "seal: verification 1"
    ),
    Damage(
        "verification missing",
        "DELETE FROM verification",
        "there is a seal, but the row is missing",
    ),
]
