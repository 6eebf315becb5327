"""The context of a check: the catalogue, the rows to check, and the findings."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Integer, Table, and_, cast, false, or_, select, tuple_
from sqlalchemy.exc import DatabaseError

from catalogue.outcomes.seals import mix
from catalogue.reading.references import imported_deals
from catalogue.schema import BLOCK_SIZE, IMPORTED, Base, DealingRow, DealRow, RulesetRow, SolverRow
from catalogue.store import Catalogue
from catalogue.verify.report import Fault
from catalogue.verify.shards import BlockSize, CheckShard, blocks_of, inside
from engine.dealing.dealers import get_dealer
from engine.errors import BadInput
from engine.game import Game, Rules
from engine.games import game_of, get_game
from engine.rulesets import parse_ruleset

# Faults of one kind that a shard names: a damaged column may be wrong in millions of rows.
NAMED = 100
# Of fewer objects all are checked, whatever the share.
LEAST = 200
_MASK = 2**64 - 1
# The columns by which people know the rows of a table that has ids.
_TITLES = {"ruleset": "slug", "solver": "name", "provenance": "machine", "dealing": "dealer"}


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """The options of a verification.

    Attributes:
        share: share of the rows to check with the referee or a dealer, 0 to 1.
        resolve_share: share of the deals to check with a solver, 0 to 1.
        seed: random seed of the selection.
        only: names of the checks; empty for all.
        deal: name or digest of the only deal to check.
        rows: numbers of rows of the large tables when it began.
        last_batch: the largest id of a batch then; rows of later ones may be added meanwhile.
        open_batches: smaller ids of which there was none then: their transactions may have been
            open, on PostgreSQL.
    """

    share: float
    resolve_share: float
    seed: int
    only: tuple[str, ...] = ()
    deal: str | None = None
    rows: Mapping[str, int] = field(default_factory=dict)
    last_batch: int = 0
    open_batches: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class ChosenDeal:
    """The only deal to check: ids of its rows, and its places, by ids of dealings, in blocks."""

    deal_ids: tuple[int, ...]
    places: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Findings:
    """The findings of a check in a shard; they travel from the process that checked it.

    Attributes:
        checked: numbers of objects checked, by kind.
        of: of the kinds that are sampled, how many there are.
        wrong: of these, how many were wrong.
        faults: the faults, at most `NAMED` of each kind.
        found: the number of all faults.
        remarks: what is unusual, but wrong in no way.
        sums: of each batch, by its id, the number of its rows and the sum of their seals.
    """

    checked: Counter[str] = field(default_factory=Counter)
    of: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    found: int = 0
    remarks: list[str] = field(default_factory=list)
    sums: dict[str, list[int]] = field(default_factory=dict)

    def absorb(self, more: "Findings", listed: int) -> None:
        """Add the findings in another shard, and of its faults those up to a number in all."""
        for name in ("checked", "of", "wrong"):
            getattr(self, name).update(getattr(more, name))
        self.faults += more.faults[: max(0, listed - len(self.faults))]
        self.found += more.found
        self.remarks += more.remarks
        for batch, (rows, seal) in more.sums.items():
            self.add_to_batch(batch, rows, seal)

    def add_to_batch(self, batch: str, rows: int, seal: int) -> None:
        """Add the seals of some rows to the sum of their batch."""
        mine = self.sums.setdefault(batch, [0, 0])
        mine[:] = mine[0] + rows, (mine[1] + seal) & _MASK


class StoredSolver(NamedTuple):
    """A row of `solver`, as far as it can be read."""

    name: str
    method: str
    version: Any = None
    grades: bool = False


@dataclass(frozen=True, slots=True)
class KnownDealing:
    """A row of `dealing`, as far as this program knows it."""

    slug: str
    dealer: str
    game: Game | None

    @property
    def is_imported(self) -> bool:
        """Whether its deals are imported ones."""
        return self.dealer == IMPORTED


@dataclass(frozen=True, slots=True)
class DealKey:
    """A row of `deal`, or a place of a block: enough to deal it."""

    deal_id: int | None
    dealing_id: int
    seed: int | None


class Context:
    """The catalogue as seen by the checks, and what they have found in a shard.

    Args:
        cat: the catalogue; it is only read.
        options: of the verification.
        asked: the only deal to check; None for all.

    Attributes:
        sums: of batches, over all shards so far; `catalogue.verify.running` has them added up.
    """

    def __init__(
        self, cat: Catalogue, options: CheckOptions, asked: ChosenDeal | None = None
    ) -> None:
        self.cat = cat
        self.options = options
        self.asked = asked
        self.shard = CheckShard("")
        self.found = Findings()
        self.sums: dict[str, list[int]] = {}
        self._named: Counter[str] = Counter()
        self._wrong: set[str] = set()
        self._rules: dict[int, Rules | None] = {}
        self.rulesets = {row[0]: str(row[1]) for row in self._all(RulesetRow.id, RulesetRow.slug)}
        row = SolverRow
        self.solvers = {
            each[0]: StoredSolver(str(each[1]), str(each[2]), each[3], bool(each[4]))
            for each in self._all(
                row.id, row.name, row.method, row.version, cast(row.grades, Integer)
            )
        }
        self.dealings = {
            each[0]: _dealing(*each[1:])
            for each in self._all(DealingRow.id, DealingRow.game, DealingRow.dealer)
        }

    def _all(self, *columns: Any) -> Sequence[Any]:
        """All rows of a small table; none if it is missing or damaged, which a check reports."""
        try:
            with self.cat.session() as session:
                return session.execute(select(*columns)).all()
        except (DatabaseError, TypeError, ValueError):
            return []

    # What was found.

    def begin(self, shard: CheckShard) -> None:
        """Prepare for a shard."""
        self.shard = shard
        self.found = Findings()
        self._named.clear()
        self._wrong.clear()

    def end(self) -> Findings:
        """The findings in the shard."""
        for kind in self.found.of:
            self.found.wrong[kind] = len(self._wrong)
        for kind, count in self._named.items():
            if count > NAMED:
                more = f"{count - NAMED:,} more like this, in {self.shard}"
                self.found.faults.append(Fault(kind, self.shard.check, more))
        return self.found

    def fault(self, kind: str, where: str, what: str) -> None:
        """Report a fault."""
        self.found.found += 1
        self._named[kind] += 1
        self._wrong.add(where)
        if self._named[kind] <= NAMED:
            self.found.faults.append(Fault(kind, where, what))

    def faults(self, kind: str, where: str, what: Iterable[str]) -> None:
        """Report the faults of one row, each a sentence."""
        for each in what:
            self.fault(kind, where, each)

    def compare(self, kind: str, where: str, wanted: Mapping[str, Any], stored: Any) -> None:
        """Report each value of a stored row that differs from the recomputed one."""
        for name, value in wanted.items():
            found = getattr(stored, name)
            # Sums of floats depend on the order of summation.
            same = math.isclose(value, found) if isinstance(value, float) else value == found
            if not same:
                self.fault(kind, where, f"{name} is {found}, recomputed it is {value}")

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
                self._rules[ruleset_id] = parse_ruleset(self.rulesets[ruleset_id])
            except (KeyError, BadInput):
                self._rules[ruleset_id] = None
        return self._rules[ruleset_id]

    def solver(self, solver_id: Any) -> StoredSolver:
        """A solver's row; its number for its name and its method if there is none."""
        unknown = StoredSolver(f"solver {solver_id}", f"solver {solver_id}")
        return self.solvers.get(_whole(solver_id), unknown)

    def is_imported(self, dealing_id: int) -> bool:
        """Whether a dealing is known to be of imported deals."""
        dealing = self.dealings.get(dealing_id)
        return dealing is not None and dealing.is_imported

    # Which rows are checked.

    @property
    def table(self) -> Table:
        """The table of which the shard is a range."""
        return Base.metadata.tables[self.shard.part]

    def inside(self, table: Table) -> list[ColumnElement[bool]]:
        """The conditions that rows of a table are those of the shard, and of the deal asked for."""
        return [*inside(table, self.shard), *self.is_asked(table)]

    def each(self, kind: str, beside: Any = None) -> Iterator[tuple[Any, str]]:
        """Yield the rows of the shard in the order of their keys, each with its name.

        Args:
            kind: of what is checked.
            beside: a column of another table, a condition, and the column of it that is their id;
                None for none.
        """
        table = self.table
        keys = list(table.primary_key.columns)
        query = select(table).where(*self.inside(table)).order_by(*keys)
        if beside is not None:
            column, condition, other = beside
            query = query.add_columns(column).outerjoin(
                column.class_, and_(condition, other == table.c.id)
            )
        with self.cat.session() as session:
            rows = session.execute(query).all()
        for row in rows:
            self.checked[kind] += 1
            name = self.row_name(table, {key.name: getattr(row, key.name) for key in keys})
            if table.name in _TITLES:
                name += f" ({getattr(row, _TITLES[table.name])})"
            yield row, name

    @cached_property
    def blocks(self) -> list[BlockSize]:
        """The blocks of which anything is stored, or those of the deal asked for."""
        found = blocks_of(self.cat)
        if self.asked is None:
            return found
        places = {(dealing_id, seed // BLOCK_SIZE) for dealing_id, seed in self.asked.places}
        return [each for each in found if each[:2] in places]

    @property
    def block(self) -> tuple[int, int]:
        """The id of the dealing and the number of the block that the shard is, or is a slice of."""
        assert self.shard.until is not None
        dealing_id, block = self.shard.until[:2]
        return dealing_id, block

    def is_asked(self, table: Table) -> list[ColumnElement[bool]]:
        """The condition that rows of a table are of the deal asked for, if one is."""
        if self.asked is None:
            return []
        columns = table.c
        if table.name == DealRow.__tablename__:
            return [columns.id.in_(self.asked.deal_ids)]
        if "deal_id" in columns:
            return [columns.deal_id.in_(self.asked.deal_ids)]
        if "seed" in columns:
            return [tuple_(columns.dealing_id, columns.seed).in_(self.asked.places)]
        if "block" in columns:
            of_places = (
                and_(columns.dealing_id == dealing_id, columns.block == seed // BLOCK_SIZE)
                for dealing_id, seed in self.asked.places
            )
            return [or_(false(), *of_places)]
        return [false()]

    def draw(self, kind: str, keys: NDArray[np.int64], share: float) -> NDArray[np.bool_]:
        """Draw a random share of objects, and count all of them.

        Whether an object is drawn depends on its key and the seed alone, so that it does not matter
        in which shards they come.

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

    def draw_seeds(
        self, kind: str, key: Sequence[int], seeds: NDArray[np.int64], share: float
    ) -> NDArray[np.bool_]:
        """Draw a random share of the seeds of the block that are in the shard, bool[n].

        Args:
            kind: of the objects.
            key: what they have in common, such as the ids of ruleset and solver.
            seeds: int64[n].
            share: 0 to 1.
        """
        assert self.shard.after is not None
        assert self.shard.until is not None
        dealing_id, block = self.block
        places = seeds - block * BLOCK_SIZE
        mine: NDArray[np.bool_] = (places >= self.shard.after[2]) & (places < self.shard.until[2])
        if self.asked is not None:
            mine &= np.isin(seeds, [seed for each, seed in self.asked.places if each == dealing_id])
        common = np.tile(np.array(key, np.int64), (int(mine.sum()), 1))
        mine[mine] = self.draw(kind, np.column_stack([common, seeds[mine]]), share)
        return mine

    def share_of(self, table: str) -> float:
        """The share of the rows of a table to check with the referee or a dealer: of few, all."""
        share = self.options.share
        rows = self.options.rows.get(table, 0)
        return share if share <= 0 or rows <= 0 else max(share, min(1.0, LEAST / rows))

    @property
    def rng(self) -> np.random.Generator:
        """The generator that draws what the plain referee replays; the same for the same shard."""
        return np.random.default_rng((self.options.seed, crc32(str(self.shard).encode())))

    # Deals.

    def dealt(self, deals: Sequence[DealKey]) -> list[bytes | str]:
        """The cards of deals, those of imported ones as they are stored; of what is none, why."""
        found: list[bytes | str] = [""] * len(deals)
        seeded: dict[int, list[int]] = defaultdict(list)
        for at, deal in enumerate(deals):
            dealing = self.dealings.get(deal.dealing_id)
            if dealing is None:
                found[at] = f"its dealing {deal.dealing_id} is missing"
            elif dealing.game is None:
                found[at] = f"unknown game {dealing.slug!r}"
            elif isinstance(deal.seed, int):
                seeded[deal.dealing_id].append(at)
            else:
                found[at] = f"its seed is {deal.seed}"
        for dealing_id, places in seeded.items():
            seeds = np.unique([deals[at].seed for at in places])
            cards = self._cards_of(dealing_id, seeds)
            for at in places:
                found[at] = cards.get(deals[at].seed, "its row is missing")
        return found

    def _cards_of(self, dealing_id: int, seeds: NDArray[np.int64]) -> dict[int | None, bytes | str]:
        """The cards of ascending seeds, or why they are none."""
        dealing = self.dealings[dealing_id]
        if dealing.is_imported:
            with self.cat.session() as session:
                rows = imported_deals(session, dealing_id, seeds.tolist())
            return {row.seed: _imported(dealing.game, row.cards) for row in rows}
        # Dealing one deal alone costs as much as some tens of deals in a run.
        runs = np.split(seeds, np.flatnonzero(np.diff(seeds) > 30) + 1)
        return dict(chain(*(_dealt_again(dealing, run) for run in runs)))

    def playable(
        self, rules: Rules, deals: Sequence[DealKey], names: Sequence[str]
    ) -> Iterator[tuple[int, bytes]]:
        """Yield the place and the cards of those deals that are of the game of a ruleset.

        The others are faults of the rows with these names.
        """
        own = game_of(rules)
        for at, cards in enumerate(self.dealt(deals)):
            dealing = self.dealings.get(deals[at].dealing_id)
            if isinstance(cards, str):
                self.fault("deal", names[at], cards)
            elif dealing is None or dealing.game is not own:
                other = "none" if dealing is None or dealing.game is None else dealing.game.name
                what = f"it is a deal of {other}: expected one of {own.name}"
                self.fault("deal", names[at], what)
            else:
                yield at, cards

    # Words.

    def slug(self, ruleset_id: Any) -> str:
        """The slug of a ruleset's row, or its number if there is none."""
        return self.rulesets.get(_whole(ruleset_id), f"ruleset {ruleset_id}")

    def deal_name(self, deal: DealKey) -> str:
        """A deal in words: its dealer and seed, or the number of its row."""
        dealing = self.dealings.get(deal.dealing_id)
        if dealing is None:
            return f"deal {deal.deal_id}"
        return f"{dealing.dealer}:{deal.seed}"

    def where(self, ruleset_id: Any, deal: DealKey, solver_id: Any = None) -> str:
        """A deal under a ruleset, or an outcome on it, in words."""
        by = "" if solver_id is None else f" by {self.solver(solver_id).name}"
        return f"{self.deal_name(deal)}{by} under {self.slug(ruleset_id)}"

    def of_block(self, ruleset_id: Any, seed: int, solver_id: Any = None) -> str:
        """A deal of the block that the shard is, under a ruleset, in words."""
        return self.where(ruleset_id, DealKey(None, self.block[0], seed), solver_id)

    def block_name(self, dealing_id: Any, block: Any) -> str:
        """A block of seeds in words."""
        dealing = self.dealings.get(_whole(dealing_id))
        if dealing is None:
            return f"block {block} of dealing {dealing_id}"
        return f"block {block} of {dealing.dealer} ({dealing.slug})"

    def row_name(self, table: Table, key: Mapping[str, Any]) -> str:
        """The name of a row in words, given the values of its primary key."""
        is_deal = table.name == DealRow.__tablename__
        deal_id = key["id"] if is_deal else key.get("deal_id")
        named = [] if deal_id is None else [self._deal_of(deal_id)]
        if "block" in key:
            named.append(self.block_name(key["dealing_id"], key["block"]))
        elif "seed" in key:
            named.append(self.deal_name(DealKey(None, _whole(key["dealing_id"]), key["seed"])))
        if "solver_id" in key:
            named.append(f"by {self.solver(key['solver_id']).name}")
        if "ruleset_id" in key:
            named.append(f"under {self.slug(key['ruleset_id'])}")
        own = {"deal_id", "solver_id", "ruleset_id", "dealing_id", "block", "seed"}
        rest = [] if is_deal else [str(key[name]) for name in key if name not in own]
        if named and named[0].startswith(f"{table.name} "):
            return " ".join([*rest, *named])
        return " ".join([table.name, *rest, *named])

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


def _imported(game: Game | None, cards: Any) -> bytes | str:
    """The cards of an imported deal, or why they are none."""
    if not isinstance(cards, bytes):
        return "it is imported, but its cards are missing"
    assert game is not None
    try:
        game.deal(cards)  # its error lists missing and duplicate cards
    except BadInput as error:
        return str(error)
    return cards


def _dealt_again(
    dealing: KnownDealing, seeds: NDArray[np.int64]
) -> Iterator[tuple[int | None, bytes | str]]:
    """The cards of ascending seeds that are dealt at once, or why one is none of the dealer's."""
    assert dealing.game is not None
    first, last = int(seeds[0]), int(seeds[-1])
    try:
        dealer = get_dealer(dealing.dealer)
        dealer.check_game(dealing.game)
        cards = dealer.deal_block(first, last - first + 1, dealing.game)
    except BadInput as error:
        if len(seeds) == 1:
            yield first, str(error)
        else:
            for each in np.split(seeds, len(seeds)):
                yield from _dealt_again(dealing, each)
        return
    for seed in seeds.tolist():
        yield seed, cards[seed - first].tobytes()


def _whole(value: Any) -> int:
    """A number that may have been read as text; −1, which no row has, if it is none."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return -1
