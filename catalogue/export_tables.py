"""The tables of an export: what their columns are called, hold and mean, and how to read them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import pyarrow as pa
from sqlalchemy import ColumnElement, Select, and_, select

from catalogue import statistics
from catalogue.deal_list import IMPORTED, check_dealer, check_range, check_status
from catalogue.references import reference
from catalogue.schema import (
    Bound,
    DeadEnd,
    Deal,
    Outcome,
    Regret,
    Ruleset,
    Solution,
    Solver,
    Status,
    same_outcome,
)
from engine import deals, spider
from engine.cards import DECK, card_name
from engine.games import GAMES, KLONDIKE
from engine.rulesets import parse_ruleset

# A query of any columns.
Rows = Select[*tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class Selection:
    """What to export; None asks for nothing.

    Attributes:
        ruleset: slug; deals without an outcome under it are left out.
        status: ``winnable``, ``unwinnable`` or ``unresolved``, under the same ruleset.
        dealer: slug of a dealer, or ``imported`` for the deals brought in by hand.
        seed_from: smallest seed.
        seed_to: largest seed.

    Raises:
        BadInput: a value that cannot be.
    """

    ruleset: str | None = None
    status: str | None = None
    dealer: str | None = None
    seed_from: int | None = None
    seed_to: int | None = None

    def __post_init__(self) -> None:
        if self.ruleset is not None:
            parse_ruleset(self.ruleset)
        check_status(self.status)
        check_dealer(self.dealer)
        check_range("seeds", self.seed_from, self.seed_to)

    def __str__(self) -> str:
        parts = []
        if self.ruleset is not None:
            parts.append(f"ruleset {self.ruleset}")
        if self.status is not None:
            parts.append(f"status {self.status}")
        if self.dealer is not None:
            parts.append(f"dealer {self.dealer}")
        if self.seed_from is not None or self.seed_to is not None:
            low = "the first" if self.seed_from is None else self.seed_from
            high = "the last" if self.seed_to is None else self.seed_to
            parts.append(f"seeds {low} to {high}")
        return ", ".join(parts) or "everything"

    def _dealt(self, table: type[Deal] | type[Status]) -> list[ColumnElement[bool]]:
        """The conditions on dealer and seed."""
        conditions: list[ColumnElement[bool]] = []
        if table is Deal:
            # Always said, because the index of dealers and seeds begins with the game.
            games = [*GAMES] if self.ruleset is None else [parse_ruleset(self.ruleset).game]
            conditions.append(Deal.game.in_(games))
        if self.dealer == IMPORTED:
            conditions.append(table.dealer.is_(None))
        elif self.dealer is not None:
            conditions.append(table.dealer == self.dealer)
        if self.seed_from is not None:
            conditions.append(table.seed >= self.seed_from)
        if self.seed_to is not None:
            conditions.append(table.seed <= self.seed_to)
        return conditions

    def _ruled(self) -> list[ColumnElement[bool]]:
        if self.ruleset is None:
            return []
        return [Ruleset.slug == parse_ruleset(self.ruleset).slug]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of an exported table: its name, its type in Parquet, and what it means."""

    name: str
    type: pa.DataType
    meaning: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table of an export.

    Attributes:
        name: of the file, without its ending.
        meaning: one sentence.
        columns: in the order in which they stand in the file.
        query: the rows of a selection, in a total order.
        values: some rows -> for each column the values of those rows.
    """

    name: str
    meaning: str
    columns: tuple[Column, ...]
    query: Callable[[Selection], Rows]
    values: Callable[[Sequence[Any]], Sequence[Sequence[Any]]]

    @property
    def schema(self) -> pa.Schema:
        return pa.schema([(column.name, column.type) for column in self.columns])


_TEXT, _WHOLE, _SHORT, _REAL = pa.string(), pa.int64(), pa.int32(), pa.float64()
_MOMENT = pa.timestamp("us", tz="UTC")

_DEAL = Column(
    "deal",
    _TEXT,
    "permanent name of the deal: dealer:seed, or the digest of a deal brought in by hand",
)
_GAME = Column("game", _TEXT, "game of the deal; one name is a deal in each game of its dealer")
_RULESET = Column("ruleset", _TEXT, "slug of the ruleset: which moves are legal and what wins")
_SOLVER = Column("solver", _TEXT, "solver as it prints, with its parameters")
_VERSION = Column("version", _SHORT, "version of the solver's method")

_CARD_NAMES = [card_name(card) for card in DECK]


def _names(cards: Iterable[int]) -> str:
    return " ".join(_CARD_NAMES[card] for card in cards)


def _piles(piles: Iterable[Iterable[int]]) -> str:
    return " | ".join(map(_names, piles))


@lru_cache(maxsize=4096)
def _move_name(game: str, packed: bytes) -> str:
    (move,) = GAMES[game].unpack(packed)
    return str(move)


def _moves(rows: Sequence[Any]) -> list[str]:
    """The moves of each row as text; a move's name is looked up, there are few of them."""
    texts = []
    for row in rows:
        size = GAMES[row.game].move_size
        packed = (row.moves[at : at + size] for at in range(0, len(row.moves), size))
        texts.append(" ".join(_move_name(row.game, move) for move in packed))
    return texts


def _references(rows: Sequence[Any]) -> list[str]:
    return [reference(row.dealer, row.seed, row.digest) for row in rows]


def _column(rows: Sequence[Any], *names: str) -> list[list[Any]]:
    return [[getattr(row, name) for row in rows] for name in names]


def _deals_query(selection: Selection) -> Rows:
    query = select(Deal.game, Deal.dealer, Deal.seed, Deal.digest, Deal.cards)
    if selection.ruleset is None and selection.status is None:
        query = query.where(*selection._dealt(Deal))
    else:
        known = select(Status.deal_id).join(Ruleset, Ruleset.id == Status.ruleset_id)
        known = known.where(*selection._ruled(), *selection._dealt(Status))
        if selection.status is not None:
            known = known.where(Status.status == selection.status)
        query = query.where(Deal.id.in_(known))
    return query.order_by(Deal.game, Deal.dealer, Deal.seed, Deal.id)


def _deals_values(rows: Sequence[Any]) -> Sequence[Sequence[Any]]:
    tableaux, stocks = [], []
    starts: tuple[int, ...]
    for row in rows:
        if row.game == KLONDIKE.slug:
            starts = deals.COLUMN_START
            stocks.append(_names(row.cards[starts[-1] :]))
        else:
            starts = spider.COLUMN_START
            rest = row.cards[starts[-1] :]
            row_size = spider.COLUMNS
            stocks.append(_piles(rest[at : at + row_size] for at in range(0, len(rest), row_size)))
        tableaux.append(_piles(row.cards[low:high] for low, high in pairwise(starts)))
    return [_references(rows), *_column(rows, "game", "dealer", "seed", "digest"), tableaux, stocks]


def _statuses_query(selection: Selection) -> Rows:
    query = (
        select(
            Deal.game,
            Deal.digest,
            Ruleset.slug,
            Status.dealer,
            Status.seed,
            Status.status,
            Status.solvers,
            Status.wins,
            Status.proofs,
            Status.nodes,
            Status.solution_length,
            Status.dead_end,
        )
        .select_from(Status)
        .join(Ruleset, Ruleset.id == Status.ruleset_id)
        .join(Deal, Deal.id == Status.deal_id)
        .where(*selection._ruled(), *selection._dealt(Status))
        .order_by(Status.ruleset_id, Status.dealer, Status.seed, Status.deal_id)
    )
    return query if selection.status is None else query.where(Status.status == selection.status)


def _statuses_values(rows: Sequence[Any]) -> Sequence[Sequence[Any]]:
    return [
        _references(rows),
        *_column(
            rows,
            "game",
            "slug",
            "status",
            "solvers",
            "wins",
            "proofs",
            "nodes",
            "solution_length",
            "dead_end",
        ),
    ]


def _of_outcomes(selection: Selection, *columns: Any) -> Rows:
    """These columns for the outcomes of a selection, with what names deal, ruleset and solver."""
    query = (
        select(
            Deal.game,
            Deal.dealer,
            Deal.seed,
            Deal.digest,
            Ruleset.slug,
            Solver.name,
            Solver.version,
            *columns,
        )
        .select_from(Outcome)
        .join(Deal, Deal.id == Outcome.deal_id)
        .join(Ruleset, Ruleset.id == Outcome.ruleset_id)
        .join(Solver, Solver.id == Outcome.solver_id)
        .where(*selection._ruled(), *selection._dealt(Deal))
        .order_by(Deal.game, Deal.dealer, Deal.seed, Deal.id, Outcome.ruleset_id, Outcome.solver_id)
    )
    if selection.status is None:
        return query
    return query.join(
        Status,
        and_(Status.ruleset_id == Outcome.ruleset_id, Status.deal_id == Outcome.deal_id),
    ).where(Status.status == selection.status)


def _outcomes_query(selection: Selection) -> Rows:
    return _of_outcomes(selection, Outcome.result, Outcome.nodes, Outcome.cpu_ms, Outcome.at)


def _outcomes_values(rows: Sequence[Any]) -> Sequence[Sequence[Any]]:
    names = ("game", "slug", "name", "version", "result", "nodes", "cpu_ms", "at")
    return [_references(rows), *_column(rows, *names)]


def _solutions_query(selection: Selection) -> Rows:
    return _of_outcomes(selection, Solution.length, Solution.moves).join(
        Solution, same_outcome(Solution)
    )


def _solutions_values(rows: Sequence[Any]) -> Sequence[Sequence[Any]]:
    return [
        _references(rows),
        *_column(rows, "game", "slug", "name", "version", "length"),
        _moves(rows),
    ]


def _dead_ends_query(selection: Selection) -> Rows:
    return _of_outcomes(selection, DeadEnd.kind, DeadEnd.witness).join(
        DeadEnd, same_outcome(DeadEnd)
    )


def _dead_ends_values(rows: Sequence[Any]) -> Sequence[Sequence[Any]]:
    return [_references(rows), *_column(rows, "game", "slug", "name", "version", "kind", "witness")]


def _regrets_query(selection: Selection) -> Rows:
    return _of_outcomes(
        selection,
        Regret.kind,
        Regret.step,
        Regret.action,
        Regret.length,
        Regret.exact_version,
        Regret.moves,
    ).join(Regret, same_outcome(Regret))


def _regrets_values(rows: Sequence[Any]) -> Sequence[Sequence[Any]]:
    names = ("game", "slug", "name", "version", "kind", "step", "action", "length", "exact_version")
    return [_references(rows), *_column(rows, *names), _moves(rows)]


def _bounds_query(selection: Selection) -> Rows:
    query = (
        select(
            Ruleset.slug,
            Bound.dealer,
            Bound.first_seed,
            Bound.n,
            Bound.winnable,
            Bound.unwinnable,
            Bound.at,
            Bound.job_id,
        )
        .join(Ruleset, Ruleset.id == Bound.ruleset_id)
        .where(*selection._ruled())
        .order_by(Bound.id)
    )
    return query if selection.dealer is None else query.where(Bound.dealer == selection.dealer)


def _bounds_values(rows: Sequence[Any]) -> Sequence[Sequence[Any]]:
    slug, dealer, first, n, winnable, unwinnable, at = _column(
        rows, "slug", "dealer", "first_seed", "n", "winnable", "unwinnable", "at"
    )
    possible = [size - lost for size, lost in zip(n, unwinnable, strict=True)]
    low, _ = statistics.intervals(winnable, n, 0.99, "sequence")
    _, high = statistics.intervals(possible, n, 0.99, "sequence")
    return [
        slug,
        dealer,
        first,
        n,
        winnable,
        unwinnable,
        [known / size for known, size in zip(winnable, n, strict=True)],
        [known / size for known, size in zip(possible, n, strict=True)],
        low.tolist(),
        high.tolist(),
        at,
        _column(rows, "job_id")[0],
    ]


TABLES: tuple[Table, ...] = (
    Table(
        "deals",
        "The deals of the selection: where every card lies at the start.",
        (
            _DEAL,
            Column("game", _TEXT, "which game the cards are dealt for, such as klondike"),
            Column("dealer", _TEXT, "dealer that deals it; empty for a deal brought in by hand"),
            Column("seed", _WHOLE, "the dealer's number of the deal; empty likewise"),
            Column(
                "digest",
                _TEXT,
                "32 hexadecimal digits that name the order of the cards: the start of the SHA-256 "
                "of one byte a card (rank × 4 + suit, ranks A to K from 0, suits C D S H), 52 or "
                "for Spider 104, tableau column by column from the bottom, then the stock",
            ),
            Column(
                "tableau",
                _TEXT,
                "the columns from left to right, separated by ` | `, each from bottom to top; the "
                "last card of each is face up. Cards are rank A23456789TJQK and suit CDSH; how "
                "many suits of Spider are told apart is the ruleset's affair",
            ),
            Column(
                "stock",
                _TEXT,
                "the stock cards in the order in which they are drawn; for Spider the rows, first "
                "dealt first, separated by ` | `, each from column 1 to column 10",
            ),
        ),
        _deals_query,
        _deals_values,
    ),
    Table(
        "statuses",
        "What is known of each deal under each ruleset, from all outcomes.",
        (
            _DEAL,
            _GAME,
            _RULESET,
            Column(
                "status",
                _TEXT,
                "winnable (somebody won it), unwinnable (proved), or unresolved",
            ),
            Column("solvers", _SHORT, "how many solvers have an outcome"),
            Column("wins", _SHORT, "how many of them won"),
            Column(
                "proofs",
                _SHORT,
                "how many proved it unwinnable; wins and proofs both above 0 would be a "
                "contradiction, an alarm",
            ),
            Column(
                "nodes",
                _WHOLE,
                "positions entered by the exact search that decided it, the fewest if several "
                "did; empty if none",
            ),
            Column(
                "solution_length", _SHORT, "moves of the shortest stored solution; empty if none"
            ),
            Column("dead_end", _TEXT, "kind of its dead-end classification; empty if none"),
        ),
        _statuses_query,
        _statuses_values,
    ),
    Table(
        "outcomes",
        "What each solver achieved on each deal.",
        (
            _DEAL,
            _GAME,
            _RULESET,
            _SOLVER,
            _VERSION,
            Column(
                "result",
                _TEXT,
                "won, lost (it failed; proves nothing), unwinnable (proved), or gave_up (its "
                "budget was spent)",
            ),
            Column("nodes", _WHOLE, "positions entered; the deterministic measure of effort"),
            Column("cpu_ms", _REAL, "milliseconds of CPU time"),
            Column("at", _MOMENT, "when it was stored, UTC"),
        ),
        _outcomes_query,
        _outcomes_values,
    ),
    Table(
        "solutions",
        "The moves of every won outcome; the referee has replayed them all.",
        (
            _DEAL,
            _GAME,
            _RULESET,
            _SOLVER,
            _VERSION,
            Column("length", _SHORT, "number of moves"),
            Column(
                "moves",
                _TEXT,
                "moves joined by blanks: T turn the stock, R redeal, WF waste to foundation, W4 "
                "waste to column 4, 4F column 4 to foundation, S4 top of the spades foundation to "
                "column 4, 26 a run of column 2 to column 6. Moves of Spider: D deal a row, 37 the "
                "top card of column 3 to column 7, 30x4 its top 4 cards to column 10",
            ),
        ),
        _solutions_query,
        _solutions_values,
    ),
    Table(
        "dead_ends",
        "Classifications of starting deals that a cheap test proved unwinnable.",
        (
            _DEAL,
            _GAME,
            _RULESET,
            _SOLVER,
            _VERSION,
            Column("kind", _TEXT, "which test proved it"),
            Column("witness", _TEXT, "the cards that prove it, joined by blanks"),
        ),
        _dead_ends_query,
        _dead_ends_values,
    ),
    Table(
        "regrets",
        "Where players lost games on deals that can be won, of the games that were looked at.",
        (
            _DEAL,
            _GAME,
            _RULESET,
            _SOLVER,
            _VERSION,
            Column(
                "kind",
                _TEXT,
                "move (a move took away the last way to win), stopped (the player stopped although "
                "it could still win), unwinnable (no win was possible from the start), or "
                "undecided",
            ),
            Column(
                "step",
                _SHORT,
                "how many moves were made before the losing one; all of them where the player "
                "stopped; empty for the others",
            ),
            Column("action", _TEXT, "what the losing move did; empty if there is none"),
            Column("length", _SHORT, "number of moves of the game"),
            Column("exact_version", _SHORT, "version of the exact solver that decided it"),
            Column("moves", _TEXT, "the game as it was played, its moves as in solutions"),
        ),
        _regrets_query,
        _regrets_values,
    ),
    Table(
        "bounds",
        "How the bounds of samples grew. They are of whole samples, whatever status or seeds are "
        "selected, and count every deal attempted, unresolved ones too.",
        (
            _RULESET,
            Column("dealer", _TEXT, "dealer of the sample"),
            Column("first_seed", _WHOLE, "first seed of the sample"),
            Column("n", _WHOLE, "size of the sample: n seeds from the first, all attempted"),
            Column("winnable", _WHOLE, "of these, known winnable"),
            Column("unwinnable", _WHOLE, "of these, proved unwinnable"),
            Column("lower", _REAL, "lower bound: winnable / n"),
            Column("upper", _REAL, "upper bound: 1 − unwinnable / n"),
            Column(
                "low",
                _REAL,
                "with high, the span that holds the true winnable share: a confidence sequence "
                "at 99 %, valid for all rows of a job at once",
            ),
            Column("high", _REAL, "see low"),
            Column("at", _MOMENT, "when this was known, UTC"),
            Column("job", _WHOLE, "number of the job whose sample grew; empty for none"),
        ),
        _bounds_query,
        _bounds_values,
    ),
)
