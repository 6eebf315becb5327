"""The initial jobs of a catalogue, which `thoughtful up` submits."""

from catalogue.jobs import queue as jobs
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample, get_dealer
from solvers.solver import parse_solver

SEEDS = 10_000

# Ruleset, dealer and solvers, in the order in which they run. The dead-end classifier is almost
# free and explains why a deal is lost; the search decides the rest. Two bots that need seconds are
# there to be compared: of the others at draw 3 one alone can win.
PLAN: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("klondike-draw3", "thoughtful-1", ("dead-end", "exact")),
    ("klondike-draw1", "thoughtful-1", ("exact",)),
    ("freecell", "microsoft", ("patience-exact",)),
    ("klondike-draw3", "thoughtful-1", ("greedy", "random")),
    ("klondike-yan", "thoughtful-1", ("yan-heuristic",)),
)


def fill(cat: Catalogue, seeds: int = SEEDS) -> list[int]:
    """Submit the jobs of the plan on the first seeds of its dealers, and return their numbers.

    Calling it again changes nothing: existing jobs stay as they are, and cancelled ones stay
    cancelled.

    Raises:
        BadInput: `seeds` is 0 or exceeds the dealer's range.
    """
    cancelled = {
        (job.ruleset, job.sample, job.solvers)
        for job in jobs.list_jobs(cat)
        if job.state == "cancelled"
    }
    plan = [(rules, first_sample(dealer, seeds), solvers) for rules, dealer, solvers in PLAN]
    return [
        jobs.submit(cat, ruleset, sample, solvers)
        for ruleset, sample, solvers in plan
        if (ruleset, sample, tuple(str(parse_solver(text)) for text in solvers)) not in cancelled
    ]


def first_sample(dealer: str, seeds: int) -> Sample:
    """The first seeds of a dealer."""
    return Sample(dealer, get_dealer(dealer).min_seed, seeds)
