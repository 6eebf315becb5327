"""Shares of winnable deals, row by row, beside the published ones.

Intervals are those of Blake and Gent 2026: Wilson's at 95 %, from its lower end with every
undecided deal counted as unwinnable to its upper end with every one counted as winnable.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from catalogue.blocks import GAVE_UP, PROVED, VERDICTS, WON
from catalogue.outcomes.chunk import SolverKey
from catalogue.reading.block_reader import read_outcomes, read_statuses, summaries
from catalogue.reproduction.definitions import WinnabilityRow
from catalogue.reproduction.published import BLAKE_GENT_DEALS, BLAKE_GENT_NECESSITY
from catalogue.reproduction.reproduction import (
    Attempt,
    blocks_of,
    check_played,
    overlap,
    stored_key,
    submit,
)
from catalogue.statistics import MOST_UNDECIDED, Interval, share_text, wilson
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample
from engine.errors import BadInput
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers.solver import parse_solver

LEVEL = 0.95


# The verdicts on a deal, in the order of the rows and columns of a table of two rulesets.
WINS, PROOFS, OPEN = range(3)
# The result that a deal with a status counts as where it was skipped.
_RESULT_OF = np.array([0, GAVE_UP, WON, PROVED, GAVE_UP], np.uint8)


class CountedRow(ABC):
    """The deals of a row by verdict; of a row of a player those that it won and those it lost.

    Attributes:
        row: the row, with its published figure if there is one.
        sample: the deals.
    """

    __slots__ = ()
    row: WinnabilityRow
    sample: Sample

    @property
    @abstractmethod
    def deals(self) -> int:
        """The number of deals of the sample."""

    @property
    @abstractmethod
    def winnable(self) -> int:
        """The number of those that are known winnable, or were won by the player."""

    @property
    @abstractmethod
    def unwinnable(self) -> int:
        """The number of those that are proved unwinnable, or were lost by the player."""

    @property
    def undecided(self) -> int:
        return self.deals - self.winnable - self.unwinnable

    @property
    def counts(self) -> dict[str, int]:
        """The deals by what is counted of the row, in words."""
        if self.row.player is not None:
            return {"won": self.winnable, "lost": self.unwinnable}
        return {
            "winnable": self.winnable,
            "unwinnable": self.unwinnable,
            "undecided": self.undecided,
        }

    @property
    def interval(self) -> Interval:
        """Of the winnable share, or of that of the player's wins."""
        return both_ways(self.winnable, self.undecided, self.deals)

    @property
    def bounds(self) -> Interval:
        """The share with every undecided deal counted as unwinnable, and as winnable."""
        if not self.deals:
            return Interval(0.0, 1.0)
        return Interval(self.winnable / self.deals, 1 - self.unwinnable / self.deals)

    @property
    def is_range(self) -> bool:
        """Whether the share has no middle worth naming, for the number of undecided deals."""
        return self.bounds.width > MOST_UNDECIDED

    @property
    def share(self) -> str:
        """The share in percent as published ones are written, or as the range of its bounds."""
        figure = self.row.figure
        return share_text(self.bounds, self.interval, 3 if figure is None else figure.decimals)

    @property
    def is_whole(self) -> bool:
        """Whether the deals are exactly those of the published figure."""
        figure = self.row.figure
        return (
            figure is not None
            and figure.games is not None
            and self.sample == Sample(*BLAKE_GENT_DEALS[:2], figure.games)
        )

    @property
    def agrees(self) -> bool | None:
        """Whether the row agrees with the published one; None where nothing is published.

        On the published deals: whether a number of winnable deals is possible by both counts; with
        nothing undecided here, whether ours is at least their winnable ones and at most these and
        their undecided ones. On other deals: whether the two intervals overlap.
        """
        figure = self.row.figure
        if figure is None or figure.counts is None:
            return None
        theirs = figure.counts
        if self.is_whole:
            return (
                self.winnable <= theirs.winnable + theirs.undecided
                and theirs.winnable <= self.winnable + self.undecided
            )
        published = both_ways(theirs.winnable, theirs.undecided, theirs.deals)
        return self.interval.low <= published.high and published.low <= self.interval.high

    @property
    def verdict(self) -> str:
        """`agrees` in words; empty where nothing is published."""
        if self.agrees is None:
            return ""
        if self.is_whole:
            return "agrees" if self.agrees else "does not agree"
        return "intervals overlap" if self.agrees else "intervals apart"


class ReportedRow(CountedRow):
    """A row with who decided its deals, and in what time.

    Attributes:
        solver: the solver as text; `version` is that of its method.
        inferred: deals that were not solved, as their outcomes follow from those under other
            rulesets.
        cpu_ms: mean CPU time of a deal, over all solved ones that are stored in the blocks of the
            sample; None if there are none.
    """

    __slots__ = ()
    solver: str
    version: int
    inferred: int
    cpu_ms: float | None

    @property
    def speed_up(self) -> float | None:
        """The published mean time divided by ours; None where none was published.

        None, too, where deals were not solved: those that were are not like the others.
        """
        figure = self.row.figure
        if figure is None or figure.seconds is None or self.inferred or not self.cpu_ms:
            return None
        return 1000 * figure.seconds / self.cpu_ms


@dataclass(frozen=True, slots=True)
class DecidedRow(ReportedRow):
    """One row as its deals were decided in a catalogue.

    Attributes:
        result: uint8[n], codes of `catalogue.blocks.RESULT_CODES` in the order of the seeds.
    """

    row: WinnabilityRow
    sample: Sample
    solver: str
    version: int
    result: NDArray[np.uint8]
    inferred: int
    cpu_ms: float | None

    @property
    def deals(self) -> int:
        return len(self.result)

    @property
    def winnable(self) -> int:
        return int((self.result == WON).sum())

    @property
    def unwinnable(self) -> int:
        if self.row.player is not None:
            return self.deals - self.winnable
        return int((self.result == PROVED).sum())


@dataclass(frozen=True, slots=True)
class Necessity:
    """How many winnable deals need an option: they cannot be won without it.

    Attributes:
        option: the option in words of the rulesets, such as ``worrying-back``.
        lax: the row with the option; `strict` is the one without it.
        needing: deals that can be won with it and are proved unwinnable without.
        winnable: deals that can be won with it.
        bounds: of the share of the winnable deals that need it: with every undecided deal counted
            against the option, and with every one for it.
        interval: Wilson's, from the lower end of the first to the upper end of the second.
        published: the published share and half the width of its interval, in percent, or None.
    """

    option: str
    lax: WinnabilityRow
    strict: WinnabilityRow
    needing: int
    winnable: int
    bounds: Interval
    interval: Interval
    published: tuple[float, float] | None

    @property
    def share(self) -> str:
        """The share in percent as published ones are written, or as the range of its bounds."""
        return share_text(self.bounds, self.interval, 2)


def both_ways(hits: int, undecided: int, n: int) -> Interval:
    """Wilson's interval of a share, undecided ones counted as misses below and as hits above."""
    return Interval(wilson(hits, n, LEVEL).low, wilson(hits + undecided, n, LEVEL).high)


def decide(
    cat: Catalogue, attempts: Sequence[Attempt[WinnabilityRow]], *, infer: bool = False
) -> list[int]:
    """Submit a job for each row and return their numbers; deals that are decided are not again.

    Of a million deals a row, verdicts alone are kept. With `infer`, deals are not solved whose
    outcomes follow from stored ones; those of the rows asked for are, if the jobs run in turn.
    What a player would have done does not follow.
    """
    return [
        number
        for each in attempts
        for number in submit(cat, [each], keep=VERDICTS, infer=infer and each.row.player is None)
    ]


def read(cat: Catalogue, attempts: Sequence[Attempt[WinnabilityRow]]) -> list[DecidedRow]:
    """Read the results of each row from the catalogue.

    Raises:
        BadInput: a deal of a sample has not been attempted.
    """
    return [_read(cat, attempt) for attempt in attempts]


def _read(cat: Catalogue, attempt: Attempt[WinnabilityRow]) -> DecidedRow:
    row, sample = attempt.row, attempt.sample
    solver = SolverKey.of(parse_solver(row.solver))
    result = np.zeros(sample.count, dtype=np.uint8)
    inferred, mean = 0, None
    with cat.session() as session:
        key = stored_key(session, row.ruleset, sample.dealer, solver)
        if key is not None:
            solver_id = key[2]
            for block in blocks_of(sample):
                mine = read_outcomes(session, *key[:2], block, [solver_id], ()).get(solver_id)
                common = None if mine is None else overlap(block, mine, sample)
                if mine is None or common is None:
                    continue
                here, there = common
                statuses = read_statuses(session, *key[:2], block)
                at = mine.first - statuses.first
                status = statuses.status[at : at + len(mine)][here]
                skipped = mine.skipped[here]
                inferred += int(skipped.sum())
                result[there] = np.where(skipped, _RESULT_OF[status], mine.result[here])
            mean = mean_cpu_ms(session, key, sample)
    check_played(result, sample, solver.name)
    return DecidedRow(row, sample, solver.name, solver.version, result, inferred, mean)


def mean_cpu_ms(session: Session, key: tuple[int, int, int], sample: Sample) -> float | None:
    """Mean CPU time of a deal, over all solved ones that are stored in the blocks of a sample.

    Args:
        session: a session.
        key: ids of ruleset, dealing and solver.
        sample: the deals.

    Returns:
        Milliseconds; None if no deal is stored.
    """
    ruleset_id, dealing_id, solver_id = key
    found = summaries(session, ruleset_id, dealing_id, blocks_of(sample), [solver_id])
    attempted = sum(each.attempted for each in found)
    return sum(each.cpu_us for each in found) / attempted / 1000 if attempted else None


def necessities(found: Sequence[DecidedRow]) -> list[Necessity]:
    """How many deals need an option, for each two rows that differ in it alone, in their order.

    Raises:
        BadInput: a deal is winnable without an option and unwinnable with it, so that an outcome is
            wrong.
    """
    decided = [each for each in found if each.row.player is None]
    by_ruleset = {each.row.ruleset: each for each in decided}
    pairs = []
    for lax in decided:
        rules = parse_ruleset(lax.row.ruleset)
        for option, without in game_of(rules).rulesets.without(rules).items():
            strict = by_ruleset.get(without.slug)
            if strict is not None and strict.sample == lax.sample:
                pairs.append(_necessity(option, lax, strict))
    return pairs


def _necessity(option: str, lax: DecidedRow, strict: DecidedRow) -> Necessity:
    with_it, without = (_verdicts(each.result) for each in (lax, strict))
    if (wrong := (with_it == PROOFS) & (without == WINS)).any():
        seed = lax.sample.first + int(np.argmax(wrong))
        raise BadInput(
            f"{lax.sample.dealer}:{seed} is stored as winnable under {strict.row.ruleset} and as "
            f"unwinnable under {lax.row.ruleset}, which cannot both be right: thoughtful verify "
            "finds the wrong outcome"
        )
    return necessity(option, lax.row, strict.row, by_both(with_it, without))


def _verdicts(result: NDArray[np.uint8]) -> NDArray[np.int64]:
    return np.where(result == WON, WINS, np.where(result == PROVED, PROOFS, OPEN))


def by_both(lax: NDArray[np.int64], strict: NDArray[np.int64]) -> NDArray[np.int64]:
    """Deals by their verdicts with an option and without it, int64[3, 3].

    Args:
        lax: int64[n], `WINS`, `PROOFS` or `OPEN` of each deal with the option.
        strict: int64[n], those without it.
    """
    return np.bincount(3 * lax + strict, minlength=9).reshape(3, 3)


def necessity(
    option: str, lax: WinnabilityRow, strict: WinnabilityRow, deals: NDArray[np.int64]
) -> Necessity:
    """How many deals need an option, from their numbers by verdict (`by_both`).

    None of them may be unwinnable with the option and winnable without it.
    """
    needing = int(deals[WINS, PROOFS])
    # What is won without the option is won with it.
    winnable = int(deals[WINS].sum() + deals[OPEN, WINS])
    # A deal that may be winnable with the option counts against it if it is winnable without it as
    # well: it is then among the winnable deals but not among those that need the option. One that
    # is proved unwinnable without it counts least if it is unwinnable with it too.
    least = (needing, winnable + int(deals[OPEN, OPEN]))
    still_open = int(deals[OPEN, PROOFS] + deals[OPEN, OPEN])
    most = (needing + int(deals[WINS, OPEN]) + still_open, winnable + still_open)
    return Necessity(
        option,
        lax,
        strict,
        needing,
        winnable,
        Interval(least[0] / least[1] if least[1] else 0.0, most[0] / most[1] if most[1] else 1.0),
        Interval(wilson(*least, LEVEL).low, wilson(*most, LEVEL).high),
        BLAKE_GENT_NECESSITY.get(lax.ruleset),
    )
