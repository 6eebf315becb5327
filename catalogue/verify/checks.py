"""The registry of the checks of `thoughtful verify`.

Verification recomputes what the catalogue stores and reports faults. It reports and never repairs:
a person must find out what a fault means and which side is wrong. Every count, status, seal, value,
reference, job and bound is checked; of the solutions, dead ends, regrets, cards, outcomes and
verdicts only a random share, because that takes a referee or a solver.
"""

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from catalogue.store import Catalogue
    from catalogue.verify.context import Context
    from catalogue.verify.pieces import CheckPiece

# Rows of a piece.
_MANY = 20_000
# Where a row is replayed move by move, or takes a solver.
_FEW = 2_000
# Rows of a piece where the database alone does the work.
_MOST = 100_000
# And where a row takes several searches.
_FEWEST = 200


@dataclass(frozen=True, slots=True)
class Check:
    """An entry of the registry of checks.

    Attributes:
        name: its name for `--only`.
        meaning: the facts that it recomputes.
        where: its module in this folder and its function, which is loaded when it is needed.
        parts: the tables whose rows it checks, ``blocks``, or ``seeds`` for slices of blocks; an
            empty name if it is one piece, and none for all tables.
        rows: rows of a piece.
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
        """Check the piece of a context, and report to it."""
        module, name = self.where.split(":")
        check: Callable[[Context], None] = getattr(
            importlib.import_module(f"catalogue.verify.{module}"), name
        )
        check(context)

    @property
    def all_parts(self) -> Sequence[str]:
        """`parts`, or all tables."""
        from catalogue.verify.values import models

        return self.parts or [model.__tablename__ for model in models()]

    def pieces(self, cat: "Catalogue", done: Sequence[Any] | None = None) -> "Iterator[CheckPiece]":
        """The pieces of the check, in order, after the place up to which it is done."""
        from catalogue.verify import pieces

        # An earlier version may have stopped at a part that the check does not have any more.
        if done is not None and done[0] not in self.all_parts:
            done = None
        for part in self.all_parts:
            if done is not None and part != done[0]:
                continue
            after, done = done, None
            if part == "blocks":
                yield from pieces.of_blocks(cat, self.name, after)
            elif part == "seeds":
                yield from pieces.of_seeds(cat, self.name, after)
            elif part:
                yield from pieces.of_table(cat, self.name, part, self.rows, after)
            elif after is None:
                yield pieces.CheckPiece(self.name)


CHECKS = (
    Check("tables", "tables, indexes and constraints", "references:check_tables", of_deals=False),
    Check(
        "names",
        "options of rulesets, parameters of solvers, dealers, provenance",
        "names:check_names",
        of_deals=False,
    ),
    Check("values", "types and ranges of all values", "values:check_values", (), _MOST),
    Check("references", "rows that others refer to", "references:check_references", (), _MOST),
    Check("doubles", "deals stored twice", "cards:check_doubles"),
    Check(
        "seals",
        "checksums of jobs, bounds, and of what others refer to",
        "seals:check_seals",
        of_deals=False,
    ),
    Check(
        "ledger",
        "numbers of jobs, bounds, batches, blocks, imported deals and the like, as they were added",
        "ledger:check_ledger",
        of_deals=False,
    ),
    Check(
        "jobs", "progress of jobs, recounted, and their shards", "jobs:check_jobs", of_deals=False
    ),
    Check("bounds", "history of bounds", "jobs:check_bounds", of_deals=False),
    Check(
        "blocks",
        "blocks of seeds, from rows; their counts, provenance and statuses; contradictions",
        "blocks:check_blocks",
        ("blocks",),
    ),
    Check(
        "statuses",
        "statuses of imported deals; contradictions",
        "statuses:check_statuses",
        ("deal",),
    ),
    Check(
        "rulesets",
        "deals won under stricter rules and unwinnable under laxer ones",
        "rulesets:check_rulesets",
        of_deals=False,
    ),
    Check(
        "inferred",
        "inferred outcomes: that their sources are stored, and that they follow",
        "inferred:check_inferred",
        ("blocks",),
    ),
    Check(
        "batches",
        "checksums of rows that were stored together, with their provenance and times",
        "seals:check_sealed_rows",
        ("outcome", "regret", "trait"),
        of_deals=False,
    ),
    Check(
        "belongings",
        "results of the outcomes of solutions and the like",
        "belongings:check_belongings",
        ("outcome",),
    ),
    Check(
        "levels",
        "difficulties and levels of deals, by the models",
        "traits:check_levels",
        ("trait",),
    ),
    Check(
        "cards",
        "deals, dealt again; all imported ones",
        "cards:check_cards",
        ("deal",),
        sampled=True,
    ),
    Check(
        "solutions",
        "solutions, replayed by the referees",
        "solutions:check_solutions",
        ("solution",),
        sampled=True,
    ),
    Check(
        "translations",
        "solutions of inferred wins, translated again",
        "inferred:check_translations",
        ("seeds",),
        sampled=True,
    ),
    Check(
        "dead-ends",
        "witnesses of dead ends",
        "dead_ends:check_dead_ends",
        ("dead_end",),
        sampled=True,
    ),
    Check(
        "regrets",
        "lost games, replayed by the referee",
        "regrets:check_regrets",
        ("regret",),
        _FEW,
        sampled=True,
    ),
    Check(
        "reruns",
        "outcomes, by the solvers that made them",
        "reruns:check_reruns",
        ("outcome",),
        _FEW,
        sampled=True,
    ),
    Check(
        "blocks-again",
        "deals of blocks without all rows, by the solvers that made them",
        "reruns:check_blocks_again",
        ("seeds",),
        sampled=True,
    ),
    Check(
        "verdicts",
        "verdicts, by solvers that had no part in them",
        "verdicts:check_verdicts",
        ("seeds", "deal"),
        _FEW,
        sampled=True,
    ),
    Check(
        "traits",
        "features of deals, by the solvers that found them",
        "traits:check_traits",
        ("trait",),
        _FEWEST,
        sampled=True,
    ),
    Check(
        "losing-moves",
        "losing moves, by an independent solver",
        "regrets:check_losing_moves",
        ("regret",),
        _FEWEST,
        sampled=True,
    ),
)


def check_named(name: str) -> Check:
    """The check of a name, which must be that of one."""
    (found,) = (check for check in CHECKS if check.name == name)
    return found
