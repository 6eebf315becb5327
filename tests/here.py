"""Run jobs in the process of the test, shard by shard, without workers."""

from collections.abc import Callable

from catalogue.jobs.task import JobSpec, Progress
from catalogue.outcomes.chunk import SolverKey
from catalogue.regret.games import PlayedGames, row_key
from catalogue.regret.task import RegretsTask
from catalogue.store import Catalogue


def regrets_task(cat: Catalogue, games: PlayedGames) -> RegretsTask | None:
    """The task of a player's regrets, without a job; None if nothing of it is stored."""
    with cat.session() as session:
        key = row_key(session, games)
    if key is None:
        return None
    sample = games.sample
    spec = JobSpec(
        0,
        games.rules.slug,
        key[0],
        sample.dealer,
        sample.first,
        sample.count,
        (SolverKey.of(games.player),),
        (key[1],),
    )
    return RegretsTask(spec)


def find_regrets(
    cat: Catalogue, games: PlayedGames, on_progress: Callable[[Progress], None] = lambda _: None
) -> int:
    """Find the regrets that are missing; how many games were looked at."""
    task = regrets_task(cat, games)
    looked = 0
    if task is None:
        return 0
    end = games.sample.last + 1
    for start in range(games.sample.first, end, task.chunk):
        with cat.session() as session:
            work = task.work(session, range(start, min(start + task.chunk, end)))
        if work is None:
            continue
        found = work.function(*work.arguments)
        with cat.begin() as session:
            task.store(session, [found])
            progress = task.count(session, range(games.sample.first, end))
        looked += work.deals
        on_progress(progress)
    return looked
