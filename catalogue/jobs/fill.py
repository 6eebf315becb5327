"""What an empty catalogue is filled with: the jobs that `thoughtful up` submits."""

from catalogue.jobs import queue as jobs
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample
from solvers.registry import parse_solver

DEALER = "thoughtful-1"
SEEDS = 10_000

# Ruleset and solvers, in the order in which they run. The dead-end classifier costs next to
# nothing and says why a deal is lost; the search alone decides the rest.
PLAN: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("klondike-draw3", ("dead-end", "exact")),
    ("klondike-draw1", ("exact",)),
    ("klondike-yan", ("yan-heuristic",)),
)


def fill(cat: Catalogue, seeds: int = SEEDS) -> list[int]:
    """Submit the jobs of the plan on the seeds 0 … seeds − 1; the numbers of those now there.

    Calling it again changes nothing: what is there already stays as it is, and a job that somebody
    cancelled stays cancelled.

    Raises:
        BadInput: the dealer does not take so many seeds, or none are asked for.
    """
    sample = Sample(DEALER, 0, seeds)
    cancelled = {
        (job.ruleset, job.sample, job.solvers)
        for job in jobs.list_jobs(cat)
        if job.state == "cancelled"
    }
    return [
        jobs.submit(cat, ruleset, sample, solvers)
        for ruleset, solvers in PLAN
        if (ruleset, sample, tuple(str(parse_solver(text)) for text in solvers)) not in cancelled
    ]
