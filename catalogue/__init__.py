"""The catalogue: tables, jobs and their runner, bounds, lists, exports, datasets and verification.

The life of a deal, from ``thoughtful job submit thoughtful-1:0-999 --solver exact`` to a replay in
the browser:

1. *A job.* `thoughtful.commands.job` parses sample, ruleset and solver; `catalogue.jobs.estimate`
   says what the job will cost; `catalogue.jobs.queue` stores it.
2. *A claim.* A runner (`catalogue.jobs.runner`) claims a shard of the most urgent job
   (`catalogue.jobs.claims`). Where few are left it makes more (`catalogue.jobs.shards`), from the
   seeds of which something is missing, each of about a minute by the time that the last ones took.
   Any number of runners share a job, and the shards of one that dies go back.
3. *An outcome.* On a worker, `catalogue.jobs.shard` deals the seeds, as uint8[n, cards] in flat
   order, and `Solver.solve` returns an `Outcome` for each deal, with the moves of a win in bytes.
4. *A proof.* `catalogue.outcomes.chunk` has every win replayed by the compiled referee, and one in
   500, drawn afresh, by the plain one (`engine.proof`). A shard that fails, kills its worker or
   does not end is split in halves until the guilty seed is found; the job goes on with the others.
5. *A transaction.* Packed into columns, the outcomes go back to the runner, where
   `catalogue.outcomes.writing` writes them, their blocks of seeds and statuses, the progress of the
   job and the bound of its sample, and deletes the shard, in one transaction.
6. *Questions.* Pages and commands ask `catalogue.reading`; a position's verdict is
   `catalogue.asking`. `dashboard.pages.deal` shows a deal; `dashboard.viewer` replays it with the
   game's renderer.
7. *Out.* `catalogue.tables` and `catalogue.datasets` write files; `catalogue.verify` deals again,
   replays again, counts again and asks other solvers.

Blocks are the facts: all that is counted, listed, compared and exported is read from them
(`catalogue.blocks`). Who may write what, and when, stands in `catalogue.store`.
"""
