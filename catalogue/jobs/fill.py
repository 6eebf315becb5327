"""The initial jobs of a catalogue, which `thoughtful up` submits."""

from catalogue.jobs import queue as jobs
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample
from solvers.solver import parse_solver

DEALER = "thoughtful-1"
SEEDS = 10_000

# Ruleset and solvers, in the order in which they run. The dead-end classifier is almost free and
# explains why a deal is lost; the search decides the rest.
PLAN: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("klondike-draw3", ("dead-end", "exact")),
    ("klondike-draw1", ("exact",)),
    ("klondike-yan", ("yan-heuristic",)),
)


def fill(cat: Catalogue, seeds: int = SEEDS) -> list[int]:
    """Submit the jobs of the plan on the seeds 0 … seeds − 1, and return their numbers.

    Calling it again changes nothing: existing jobs stay as they are, and cancelled ones stay
    cancelled.

    Raises:
        BadInput: `seeds` is 0 or exceeds the dealer's range.
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
