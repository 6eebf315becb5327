"""The context of a check: the catalogue, the rows to check, and what was found."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Integer, Table, and_, cast, false, or_, select, tuple_
from sqlalchemy.exc import DatabaseError

from catalogue.outcomes.seals import mix
from catalogue.schema import BLOCK_SIZE, Base, DealingRow, DealRow, RulesetRow, SolverRow
from catalogue.store import Catalogue
from catalogue.verify.pieces import CheckPiece, inside
from catalogue.verify.report import Fault
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.game import Game, Rules
from engine.games import game_of, get_game
from engine.rulesets import parse_ruleset

# Faults of one kind that a piece names: a damaged column may be wrong in millions of rows.
NAMED = 100
# Of fewer objects all are checked, whatever the share.
LEAST = 200
_MASK = 2**64 - 1


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a verification.

    Attributes:
        share: share of the rows to check with the referee or a dealer, 0 to 1.
        resolve_share: share of the deals to check with a solver, 0 to 1.
        seed: random seed of the selection.
        only: names of the checks; empty for all.
        deal: name or digest of the only deal to check.
        rows: numbers of rows of the large tables when it began.
    """

    share: float
    resolve_share: float
    seed: int
    only: tuple[str, ...] = ()
    deal: str | None = None
    rows: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Asked:
    """The only deal to check: ids of its rows, and its places, by ids of dealings, in blocks."""

    deal_ids: tuple[int, ...]
    places: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Findings:
    """The findings of a check in a piece; they travel from the process that checked it.

    Attributes:
        checked: numbers of objects checked, by kind.
        of: of the kinds that are sampled, how many there are.
        wrong: of these, how many were wrong.
        faults: the faults, at most `NAMED` of each kind.
        found: the number of all faults.
        remarks: what is unusual, but wrong in no way.
        sums: of each batch the number of its rows, the sum of their seals, and the first and the
            last of them (see `catalogue.verify.seals`).
    """

    checked: Counter[str] = field(default_factory=Counter)
    of: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    found: int = 0
    remarks: list[str] = field(default_factory=list)
    sums: dict[int, list[Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class KnownDealing:
    """A row of `dealing`, as far as this program knows it."""

    slug: str
    dealer: str | None
    game: Game | None


@dataclass(frozen=True, slots=True)
class DealKey:
    """A row of `deal`, or a place of a block: enough to deal it."""

    deal_id: int | None
    dealing_id: int
    seed: int | None
    cards: bytes | None = None


class Context:
    """The catalogue as seen by the checks, and what they have found in a piece.

    Args:
        cat: the catalogue; it is only read.
        options: what was asked for.
        asked: the only deal to check; None for all.
    """

    def __init__(self, cat: Catalogue, options: Options, asked: Asked | None = None) -> None:
        self.cat = cat
        self.options = options
        self.asked = asked
        self.piece = CheckPiece("")
        self.found = Findings()
        self._named: Counter[str] = Counter()
        self._wrong: set[str] = set()
        self._rules: dict[int, Rules | None] = {}
        self._rulesets = {row[0]: str(row[1]) for row in self._all(RulesetRow.id, RulesetRow.slug)}
        self._solvers: dict[int, tuple[str, str, Any]] = {
            row[0]: (str(row[1]), str(row[2]), row[3])
            for row in self._all(SolverRow.id, SolverRow.name, SolverRow.method, SolverRow.version)
        }
        self.grades = {
            row[0]: bool(row[1]) for row in self._all(SolverRow.id, cast(SolverRow.grades, Integer))
        }
        self.dealings = {
            row[0]: _dealing(*row[1:])
            for row in self._all(DealingRow.id, DealingRow.game, DealingRow.dealer)
        }

    def _all(self, *columns: Any) -> Sequence[Any]:
        """All rows of a small table; none if it is missing or damaged, which a check reports."""
        try:
            with self.cat.session() as session:
                return session.execute(select(*columns)).all()
        except (DatabaseError, TypeError, ValueError):
            return []

    def begin(self, piece: CheckPiece) -> None:
        """Prepare for a piece."""
        self.piece = piece
        self.found = Findings()
        self._named.clear()
        self._wrong.clear()

    def end(self) -> Findings:
        """The findings in the piece."""
        for kind in self.found.of:
            self.found.wrong[kind] = len(self._wrong)
        for kind, count in self._named.items():
            if count > NAMED:
                more = f"{count - NAMED:,} more like this, in {self.piece}"
                self.found.faults.append(Fault(kind, self.piece.check, more))
        return self.found

    def fault(self, kind: str, where: str, what: str) -> None:
        """Report a fault."""
        self.found.found += 1
        self._named[kind] += 1
        self._wrong.add(where)
        if self._named[kind] <= NAMED:
            self.found.faults.append(Fault(kind, where, what))

    def remark(self, sentence: str) -> None:
        """Report what is unusual, but wrong in no way."""
        self.found.remarks.append(sentence)

    @property
    def checked(self) -> Counter[str]:
        """Numbers of objects checked, by kind."""
        return self.found.checked

    # What rows refer to.

    def rules(self, ruleset_id: int) -> Rules | None:
        """The rules of a ruleset's row; None if there are none, which other checks report."""
        if ruleset_id not in self._rules:
            try:
                self._rules[ruleset_id] = parse_ruleset(self._rulesets[ruleset_id])
            except (KeyError, BadInput):
                self._rules[ruleset_id] = None
        return self._rules[ruleset_id]

    @property
    def solver_ids(self) -> Collection[int]:
        """The ids of all solvers."""
        return self._solvers.keys()

    def ruleset_id(self, slug: str) -> int | None:
        """The id of the row of a ruleset; None if there is none."""
        return next((each for each, known in self._rulesets.items() if known == slug), None)

    def slug(self, ruleset_id: Any) -> str:
        """The slug of a ruleset's row, or its number if there is none."""
        return self._rulesets.get(_whole(ruleset_id), f"ruleset {ruleset_id}")

    def solver(self, solver_id: Any) -> str:
        """The name of a solver's row, or its number if there is none."""
        found = self._solvers.get(_whole(solver_id))
        return f"solver {solver_id}" if found is None else found[0]

    def method(self, solver_id: int) -> str:
        """The slug of the method of a solver's row, or its number if there is none."""
        found = self._solvers.get(solver_id)
        return f"solver {solver_id}" if found is None else found[1]

    def version(self, solver_id: int) -> Any:
        """The version of a solver's row; None if there is none."""
        found = self._solvers.get(solver_id)
        return None if found is None else found[2]

    # Which rows are checked.

    def inside(self, table: Table) -> list[ColumnElement[bool]]:
        """The conditions that rows of a table are those of the piece, and of the deal asked for."""
        return [*inside(table, self.piece), *self.is_asked(table)]

    @property
    def block(self) -> tuple[int, int]:
        """The id of the dealing and the number of the block that the piece is, or is a slice of."""
        assert self.piece.until is not None
        dealing_id, block = self.piece.until[:2]
        return dealing_id, block

    def in_slice(self, seeds: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which seeds of a block are in the slice that the piece is; all if it is no slice."""
        if self.piece.part != "seeds" or self.piece.after is None or self.piece.until is None:
            return np.ones(len(seeds), dtype=np.bool_)
        inside = seeds - self.block[1] * BLOCK_SIZE
        low, high = int(self.piece.after[2]), int(self.piece.until[2])
        return (inside >= low) & (inside < high)

    def is_asked(self, table: Table) -> list[ColumnElement[bool]]:
        """The condition that rows of a table are of the deal asked for, if one is."""
        if self.asked is None:
            return []
        if table.name == DealRow.__tablename__:
            return [table.c.id.in_(self.asked.deal_ids)]
        if "deal_id" in table.c:
            return [table.c.deal_id.in_(self.asked.deal_ids)]
        if {"dealing_id", "seed"} <= set(table.c.keys()):
            key = (table.c.dealing_id, table.c.seed)
            return [tuple_(*key).in_(self.asked.places)]
        if "block" in table.c:
            return [
                or_(
                    false(),
                    *(
                        and_(table.c.dealing_id == dealing_id, table.c.block == seed // BLOCK_SIZE)
                        for dealing_id, seed in self.asked.places
                    ),
                )
            ]
        return [false()]

    def draw(self, kind: str, keys: NDArray[np.int64], share: float) -> NDArray[np.bool_]:
        """Draw a random share of objects, and count all of them.

        Whether an object is drawn depends on its key and the seed alone, so that it does not matter
        in which pieces they come.

        Args:
            kind: of the objects.
            keys: int64[n, k].
            share: 0 to 1.
        """
        self.found.of[kind] += len(keys)
        if self.asked is not None or share >= 1:
            return np.ones(len(keys), dtype=np.bool_)
        if share <= 0:
            return np.zeros(len(keys), dtype=np.bool_)
        start = (self.options.seed << 32 | crc32(kind.encode())) & _MASK
        mixed = np.full(len(keys), start, dtype=np.uint64)
        for column in keys.T:
            mixed = mix(mixed ^ np.ascontiguousarray(column).view(np.uint64))
        return (mixed >> np.uint64(11)) < np.uint64(int(share * 2**53))

    def share_of(self, table: str) -> float:
        """The share of the rows of a table to check with the referee or a dealer: of few, all."""
        share = self.options.share
        rows = self.options.rows.get(table, 0)
        return share if share <= 0 or rows <= 0 else max(share, min(1.0, LEAST / rows))

    # Deals.

    def dealt(self, deals: Sequence[DealKey]) -> list[bytes | str]:
        """The cards of deals, dealt again if they have a dealer; of those without, why not."""
        found: list[bytes | str] = [""] * len(deals)
        groups: dict[int, list[int]] = defaultdict(list)
        for at, deal in enumerate(deals):
            groups[deal.dealing_id].append(at)
        for dealing_id, places in groups.items():
            dealing = self.dealings.get(dealing_id)
            if dealing is None:
                reason: str | None = f"its dealing {dealing_id} is missing"
            elif dealing.game is None:
                reason = f"unknown game {dealing.slug!r}"
            else:
                reason = None
            if reason is not None or dealing is None or dealing.game is None:
                for at in places:
                    found[at] = str(reason)
            elif dealing.dealer is None:
                for at in places:
                    found[at] = _imported(dealing.game, deals[at].cards)
            else:
                self._deal(dealing.dealer, dealing.game, deals, places, found)
        return found

    def _deal(
        self,
        dealer: str,
        game: Game,
        deals: Sequence[DealKey],
        places: list[int],
        found: list[bytes | str],
    ) -> None:
        seeded = []
        for at in places:
            seed = deals[at].seed
            if isinstance(seed, int):
                seeded.append((seed, at))
            else:
                found[at] = f"it has the dealer {dealer}, but its seed is {seed}"
        try:
            known = get_dealer(dealer)
            known.check_game(game)
        except BadInput as error:
            for _, at in seeded:
                found[at] = str(error)
            return
        for run in _runs(sorted(seeded)):
            first, last = run[0][0], run[-1][0]
            try:
                cards = known.deal_block(first, last - first + 1, game)
            except BadInput:
                # One of the seeds is none of this dealer's.
                for seed, at in run:
                    try:
                        found[at] = known.deal_block(seed, 1, game).tobytes()
                    except BadInput as error:
                        found[at] = str(error)
                continue
            for seed, at in run:
                found[at] = cards[seed - first].tobytes()

    def playable(
        self, rules: Rules, deals: Sequence[DealKey], name: Callable[[int], str]
    ) -> Iterator[tuple[int, bytes]]:
        """Yield the place and the cards of those deals that are of the game of a ruleset.

        The others are faults; `name` names the row of a place.
        """
        own = game_of(rules)
        for at, cards in enumerate(self.dealt(deals)):
            dealing = self.dealings.get(deals[at].dealing_id)
            if isinstance(cards, str):
                self.fault("deal", name(at), cards)
            elif dealing is None or dealing.game is not own:
                other = "none" if dealing is None or dealing.game is None else dealing.game.name
                what = f"it is a deal of {other}: expected one of {own.name}"
                self.fault("deal", name(at), what)
            else:
                yield at, cards

    # Words.

    def compare(self, kind: str, where: str, wanted: Mapping[str, Any], stored: Any) -> None:
        """Report each value of a stored row that differs from the recomputed one."""
        for name, value in wanted.items():
            found = stored[name] if isinstance(stored, Mapping) else getattr(stored, name)
            # Sums of floats depend on the order of summation.
            same = math.isclose(value, found) if isinstance(value, float) else value == found
            if not same:
                self.fault(kind, where, f"{name} is {found}, recomputed it is {value}")

    def deal_name(self, deal: DealKey) -> str:
        """A deal in words: its name, or for an imported deal the number of its row."""
        dealing = self.dealings.get(deal.dealing_id)
        if dealing is None or dealing.dealer is None:
            return f"deal {deal.deal_id}"
        return f"{dealing.dealer}:{deal.seed}"

    def namer(
        self, ruleset_id: int, deals: Sequence[DealKey], solver_id: int | None = None
    ) -> Callable[[int], str]:
        """A function from the place of a deal to its name; few are ever asked for."""
        return lambda at: self.where(ruleset_id, deals[at], solver_id)

    def where(self, ruleset_id: Any, deal: DealKey, solver_id: Any = None) -> str:
        """A deal under a ruleset, or an outcome on it, in words."""
        by = "" if solver_id is None else f" by {self.solver(solver_id)}"
        return f"{self.deal_name(deal)}{by} under {self.slug(ruleset_id)}"

    def block_name(self, dealing_id: Any, block: Any) -> str:
        """A block of seeds in words."""
        dealing = self.dealings.get(_whole(dealing_id))
        if dealing is None:
            return f"block {block} of dealing {dealing_id}"
        return f"block {block} of {dealing.dealer} ({dealing.slug})"

    def row_name(self, model: type[Base], key: Mapping[str, Any]) -> str:
        """The name of a row in words, given the values of its primary key."""
        deal_id = key.get("deal_id", key["id"] if model is DealRow else None)
        named = [] if deal_id is None else [self._deal_of(deal_id)]
        if "block" in key:
            named.append(self.block_name(key["dealing_id"], key["block"]))
        if "solver_id" in key:
            named.append(f"by {self.solver(key['solver_id'])}")
        if "ruleset_id" in key:
            named.append(f"under {self.slug(key['ruleset_id'])}")
        own = {"deal_id", "solver_id", "ruleset_id", "dealing_id", "block"}
        rest = [] if model is DealRow else [str(key[name]) for name in key if name not in own]
        kind = model.__tablename__
        if named and named[0].startswith(f"{kind} "):
            return " ".join([*rest, *named])
        return " ".join([kind, *rest, *named])

    def _deal_of(self, deal_id: Any) -> str:
        with self.cat.session() as session:
            found = session.execute(
                select(cast(DealRow.dealing_id, Integer), cast(DealRow.seed, Integer)).where(
                    DealRow.id == _whole(deal_id)
                )
            ).first()
        if found is None:
            return f"deal {deal_id}"
        return self.deal_name(DealKey(_whole(deal_id), *found))


def _dealing(slug: Any, dealer: Any) -> KnownDealing:
    try:
        game = get_game(str(slug))
    except BadInput:
        game = None
    return KnownDealing(str(slug), dealer, game)


def _imported(game: Game, cards: Any) -> bytes | str:
    """The cards of an imported deal, or why they are none."""
    if not isinstance(cards, bytes):
        return "it is imported, but its cards are missing"
    deck = np.frombuffer(cards, dtype=np.uint8)
    if len(deck) != game.cards or np.any(
        np.sort(deck) != np.repeat(np.arange(52, dtype=np.uint8), game.decks)
    ):
        try:
            game.deal(cards)  # its error lists missing and duplicate cards
        except BadInput as error:
            return str(error)
    return cards


def _runs(seeded: list[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Split ascending seeds, each with a place, into runs that are dealt at once."""
    run: list[tuple[int, int]] = []
    for seed, at in seeded:
        # Dealing one deal alone costs as much as some tens of deals in a run.
        if run and (seed - run[-1][0] > 30 or seed - run[0][0] >= BLOCK_SIZE):
            yield run
            run = []
        run.append((seed, at))
    if run:
        yield run


def _whole(value: Any) -> int:
    """A number that may have been read as text; −1, which no row has, if it is none."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return -1
