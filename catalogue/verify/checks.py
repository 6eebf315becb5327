"""The registry of the checks of `thoughtful verify`.

Verification recomputes what the catalogue stores and reports faults. It reports and never repairs:
a person must find out what a fault means and which side is wrong. Every count, status, seal, value,
reference, job and bound is checked; of the solutions, dead ends, regrets, cards, outcomes and
verdicts only a random share, because that takes a referee or a solver.
"""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from catalogue.verify.context import Context

# Rows of a shard, and where a row is replayed move by move or takes a solver; where the database
# alone does the work; and where a row takes several searches.
_MANY, _FEW, _MOST, _FEWEST = 20_000, 2_000, 100_000, 200


@dataclass(frozen=True, slots=True)
class Check:
    """An entry of the registry of checks.

    Attributes:
        name: its name for `--only`.
        meaning: the facts that it recomputes.
        where: its module in this folder and its function, which is loaded when it is needed.
        parts: the tables whose rows it checks, ``blocks``, or ``seeds`` for slices of blocks; an
            empty name for one shard that is all of it, and none for all tables.
        rows: rows of a shard.
        sampled: whether only a random share is checked.
        of_deals: whether it can check a single deal.
    """

    name: str
    meaning: str
    where: str
    parts: tuple[str, ...] = ("",)
    rows: int = _MANY
    sampled: bool = False
    of_deals: bool = True

    def run(self, context: "Context") -> None:
        """Check the shard of a context, and report to it."""
        module, name = self.where.split(":")
        check: Callable[[Context], None] = getattr(
            importlib.import_module(f"catalogue.verify.{module}"), name
        )
        check(context)

    @property
    def all_parts(self) -> Sequence[str]:
        """`parts`, or all tables, those without foreign keys first."""
        from catalogue.schema import Base

        return self.parts or [table.name for table in Base.metadata.sorted_tables]


def _whole(name: str, meaning: str, where: str, *parts: str) -> Check:
    """A check of rows that belong to no single deal."""
    return Check(name, meaning, where, parts or ("",), of_deals=False)


def _sampled(name: str, meaning: str, where: str, rows: int, *parts: str) -> Check:
    """A check of a random share."""
    return Check(name, meaning, where, parts, rows, sampled=True)


_NAMES = ("ruleset", "dealing", "solver", "provenance")
_SEALED = (*_NAMES, "verification", "job", "bound", "difficulty")
_RULES = "rules:check_rules"

CHECKS = (
    _whole("tables", "tables, indexes and constraints", "tables:check_tables"),
    _whole(
        "names",
        "options of rulesets, parameters of solvers, dealers, provenance",
        "names:check_names",
        *_NAMES,
    ),
    Check("values", "types and ranges of all values", _RULES, (), _MOST),
    Check("references", "rows that others refer to", _RULES, (), _MOST),
    Check("doubles", "deals stored twice", "rules:check_doubles"),
    _whole(
        "seals", "checksums of jobs, bounds, and of what others refer to", "seals:check_seals",
        *_SEALED,
    ),
    _whole(
        "ledger",
        "numbers of jobs, bounds, batches, blocks, imported deals and the like, as they were added",
        "seals:check_ledger",
    ),
    _whole(
        "jobs", "progress of jobs, recounted, and their shards", "jobs:check_jobs", "job", ""
    ),
    _whole("bounds", "history of bounds", "jobs:check_bounds", "bound", "job"),
    Check(
        "blocks",
        "blocks of seeds, from rows; their counts, provenance and statuses; contradictions",
        "blocks:check_blocks",
        ("blocks",),
    ),
    _whole(
        "rulesets",
        "deals won under stricter rules and unwinnable under laxer ones",
        "blocks:check_rulesets",
    ),
    _whole(
        "batches",
        "checksums of rows that were stored together, with their provenance and times",
        "seals:check_batches",
        "outcome", "regret", "features", "batch",
    ),
    Check("belongings", "results of the outcomes of solutions and the like", _RULES, ("outcome",)),
    Check(
        "levels", "difficulties and levels of deals, by the models", "levels:check_levels",
        ("features",),
    ),
    _sampled(
        "cards", "deals, dealt again; all imported ones", "replays:check_cards", _MANY, "deal"
    ),
    _sampled(
        "solutions", "solutions, replayed by the referees", "replays:check_solutions", _MANY,
        "solution",
    ),
    _sampled("dead-ends", "witnesses of dead ends", "replays:check_dead_ends", _MANY, "dead_end"),
    _sampled(
        "regrets", "lost games, replayed by the referee", "replays:check_regrets", _FEW, "regret"
    ),
    _sampled(
        "reruns", "outcomes, by the solvers that made them", "solving:check_reruns", _FEW,
        "outcome",
    ),
    _sampled(
        "blocks-again", "deals of blocks without all rows, by the solvers that made them",
        "solving:check_blocks_again", _MANY, "seeds",
    ),
    _sampled(
        "verdicts", "verdicts, by solvers that had no part in them", "solving:check_verdicts", _FEW,
        "seeds",
    ),
    _sampled(
        "features", "features of deals, by the solvers that found them", "levels:check_features",
        _FEWEST, "features",
    ),
    _sampled(
        "losing-moves", "losing moves, by an independent solver", "solving:check_losing_moves",
        _FEWEST, "regret",
    ),
)  # fmt: skip


# Former names of checks, each with the one that replaces it.
FORMER = {"traits": "features", "statuses": "blocks"}


def check_named(name: str) -> Check:
    """The check of a name, which must be that of one."""
    (found,) = (check for check in CHECKS if check.name == name)
    return found
