"""Deals with features: one by name, and lists of those that suit somebody."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, and_, case, func, or_, select, tuple_
from sqlalchemy.orm import Session

from catalogue.difficulty.arrivals import FirstDeal, first_arrival
from catalogue.difficulty.grading import LEVELS, DifficultyModel, read_model
from catalogue.difficulty.rasch import Whole
from catalogue.difficulty.shipped import shipped_model
from catalogue.schema import (
    BLOCK_SIZE,
    IMPORTED,
    MAX_STORED_SEED,
    DealingRow,
    DifficultyRow,
    FeaturesRow,
    RulesetRow,
    StatusBlockRow,
    is_dealt,
)
from catalogue.store import Catalogue
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of
from engine.rulesets import parse_ruleset
from solvers.features import VERSION

# Deals that are counted at most: a count of all would take longer than the list.
MOST_COUNTED = 100_000
# Deals that are read at most to draw one, and seeds that are looked up at once for more.
_READ_MOST, _LOOKED_UP = 20_000, 500
_LEVELS = (1, len(LEVELS))


@dataclass(frozen=True, slots=True)
class GradedDeal:
    """A winnable deal with its features under a ruleset, and how hard it is.

    Attributes:
        deal: its name.
        dealer: its dealer.
        seed: its seed.
        ruleset: slug.
        level: 1 to 10, see `LEVELS`; None if there is no model.
        difficulty: in logits; 0 is the mean of the deals of the fit.
        deviation: of the difficulty, its standard error.
        level_low: level at one deviation below the difficulty.
        level_high: and above it.
        games: games of players that it rests on beside the features.
        nodes: of the exact search on it.
        length: moves of the solution that was looked at.
        winning_share: share of the plays along that solution that keep the win.
        choices: positions of the solution in which some play loses the win.
        critical: those of them in which just one play keeps it.
        first_critical: moves before the first of these.
        luck: estimated chance that play at random wins, 0 to 1; None where no such game was won,
            or the features are old.
        luck_error: its standard error; None with it.
        luck_most: what that chance is at most, as far as can be told; None if the features are old.
        needs: options of the ruleset without which the deal cannot be won.
        version: of `solvers.features` that found it.
    """

    deal: str
    dealer: str
    seed: int
    ruleset: str
    level: int | None
    difficulty: float | None
    deviation: float | None
    level_low: int | None
    level_high: int | None
    games: int
    nodes: int
    length: int
    winning_share: float
    choices: int
    critical: int
    first_critical: int | None
    luck: float | None
    luck_error: float | None
    luck_most: float | None
    needs: tuple[str, ...]
    version: int

    @property
    def name(self) -> str:
        """The name of its level; empty without one."""
        return "" if self.level is None else LEVELS[self.level - 1]

    @property
    def is_old(self) -> bool:
        """Whether an older version found the features; a job finds them again."""
        return self.version != VERSION


@dataclass(frozen=True, slots=True)
class DealConditions:
    """Conditions on a deal; None sets none.

    Attributes:
        ruleset: slug.
        dealer: slug of its dealer.
        levels: smallest and largest level, 1 to 10.
        lengths: fewest and most moves of the solution that was looked at.
        criticals: fewest and most critical moments.
        critical_before: its first critical moment comes before this move.
        needs: option of the ruleset without which it cannot be won.
        played: whether it must have been played by players of the fit.
    """

    ruleset: str
    dealer: str | None = None
    levels: tuple[int | None, int | None] = (None, None)
    lengths: tuple[int | None, int | None] = (None, None)
    criticals: tuple[int | None, int | None] = (None, None)
    critical_before: int | None = None
    needs: str | None = None
    played: bool = False

    def check(self) -> Rules:
        """The rules.

        Raises:
            BadInput: a value is none of those that are possible.
        """
        rules = parse_ruleset(self.ruleset)
        for name, (low, high) in (
            ("levels", self.levels),
            ("lengths", self.lengths),
            ("numbers of critical moments", self.criticals),
        ):
            for end in (low, high):
                if end is not None and end < 0:
                    raise BadInput(f"{end} is none of the {name}: expected 0 or more")
            if low is not None and high is not None and low > high:
                raise BadInput(f"invalid range of {name} {low}–{high}: expected low to high")
        for level in self.levels:
            if level is not None and not _LEVELS[0] <= level <= _LEVELS[1]:
                raise BadInput(f"there is no level {level}: expected {_LEVELS[0]} to {_LEVELS[1]}")
        if self.critical_before is not None and self.critical_before < 1:
            raise BadInput(f"no move comes before move {self.critical_before}: expected 1 or more")
        options = options_of(rules)
        if self.needs is not None and self.needs not in options:
            known = ", ".join(options) or "none"
            raise BadInput(
                f"no deal of {rules.slug} can need {self.needs!r}: expected one of {known}"
            )
        return rules


@dataclass(frozen=True, slots=True)
class DealMatches:
    """Deals that match.

    Attributes:
        deals: in the order of dealers and seeds.
        total: how many there are in all; `MOST_COUNTED` stands for as many or more.
        graded: deals of the ruleset with features of the version that counts.
        others: deals with features of another version, which are never listed beside these.
    """

    deals: list[GradedDeal]
    total: int
    graded: int
    others: int = 0


@dataclass(frozen=True, slots=True)
class Supply:
    """The deals among which some can be found.

    Attributes:
        winnable: deals with a dealer that are known to be winnable.
        with_features: deals with features.
        with_level: deals with a level.
    """

    winnable: int
    with_features: int
    with_level: int


def options_of(rules: Rules) -> tuple[str, ...]:
    """The options of a ruleset that a deal may need."""
    return tuple(game_of(rules).rulesets.without(rules))


def find(
    cat: Catalogue, wanted: DealConditions, count: int = 20, after: tuple[str, int] | None = None
) -> DealMatches:
    """Find deals that match.

    Args:
        cat: the catalogue.
        wanted: what they should be like.
        count: number of deals at most.
        after: dealer and seed after which the first of them comes.

    Raises:
        BadInput: a value of `wanted` is none of those that are possible.
    """
    wanted.check()
    with cat.session() as session:
        ruleset_id = _ruleset_id(session, wanted.ruleset)
        if ruleset_id is None:
            return DealMatches([], 0, 0)
        conditions = _conditions(ruleset_id, wanted)
        return DealMatches(
            _read(session, ruleset_id, conditions, count, after),
            _count(session, conditions),
            _count(session, [FeaturesRow.ruleset_id == ruleset_id, of_version(ruleset_id)]),
            _count(session, [FeaturesRow.ruleset_id == ruleset_id, ~of_version(ruleset_id)]),
        )


def supply(cat: Catalogue, wanted: DealConditions) -> Supply:
    """The deals of the ruleset and dealer of `wanted`, whatever else it asks for."""
    with cat.session() as session:
        ruleset_id = _ruleset_id(session, wanted.ruleset)
        if ruleset_id is None:
            return Supply(0, 0, 0)
        dealings = select(DealingRow.id).where(
            DealingRow.dealer != IMPORTED
            if wanted.dealer is None
            else DealingRow.dealer == wanted.dealer
        )
        winnable = session.scalar(
            select(func.sum(StatusBlockRow.winnable)).where(
                StatusBlockRow.ruleset_id == ruleset_id, StatusBlockRow.dealing_id.in_(dealings)
            )
        )
        features = session.execute(
            select(func.count(), func.count(FeaturesRow.level)).where(
                FeaturesRow.ruleset_id == ruleset_id,
                FeaturesRow.dealing_id.in_(dealings),
                of_version(ruleset_id),
            )
        ).one()
    return Supply(int(winnable or 0), features[0], features[1])


def draw(cat: Catalogue, wanted: DealConditions, key: str) -> GradedDeal | None:
    """Draw one of the deals that match, each with the same chance; None without any.

    The same key draws the same deal of the same deals, on every catalogue. Of n deals and one more
    it draws another with the chance 1 / (n + 1), see `catalogue.difficulty.arrivals`.

    Few deals are read as they are. For many, which would take too long, seeds that are drawn are
    looked up instead until one is a deal's.

    Raises:
        BadInput: a value of `wanted` is none of those that are possible.
    """
    wanted.check()
    with cat.session() as session:
        ruleset_id = _ruleset_id(session, wanted.ruleset)
        if ruleset_id is None:
            return None
        conditions = _conditions(ruleset_id, wanted)
        deals = session.execute(
            select(FeaturesRow.dealing_id, FeaturesRow.seed)
            .where(*conditions)
            .limit(_READ_MOST + 1)
        ).all()
        if not deals:
            return None
        if len(deals) <= _READ_MOST:
            blocks = sorted({(dealing_id, seed // BLOCK_SIZE) for dealing_id, seed in deals})
            first_deal = _among(deals, blocks)
        else:
            blocks = _winnable_blocks(session, ruleset_id, wanted)
            first_deal = _looked_up(session, ruleset_id, conditions, blocks)
        rows = session.execute(select(DealingRow.id, DealingRow.dealer))
        dealers = {row.id: row.dealer for row in rows}
        named = [(dealers[dealing_id], block) for dealing_id, block in blocks]
        place = first_arrival(key, named, first_deal)
        if place is None:
            return None
        dealing_id, block = blocks[place.block]
        row = session.execute(
            _query().where(
                FeaturesRow.ruleset_id == ruleset_id,
                FeaturesRow.dealing_id == dealing_id,
                FeaturesRow.seed == block * BLOCK_SIZE + place.offset,
            )
        ).one()
        return _deal(row, read_model(session, ruleset_id))


def graded(cat: Catalogue, game: str, dealer: str, seed: int) -> list[GradedDeal]:
    """The difficulty of a deal under each ruleset under which it has features."""
    if seed > MAX_STORED_SEED:
        return []
    with cat.session() as session:
        # By the primary key: asked for the seed alone, SQLite reads the features of all deals.
        keys = session.execute(
            select(RulesetRow.id, DealingRow.id)
            .join(DealingRow, DealingRow.game == RulesetRow.game)
            .where(DealingRow.game == game, DealingRow.dealer == dealer)
        ).all()
        rows = [
            row
            for ruleset_id, dealing_id in keys
            for row in session.execute(
                _query().where(
                    FeaturesRow.ruleset_id == ruleset_id,
                    FeaturesRow.dealing_id == dealing_id,
                    FeaturesRow.seed == seed,
                )
            )
        ]
        models = {row.ruleset_id: read_model(session, row.ruleset_id) for row in rows}
        return [_deal(row, models[row.ruleset_id]) for row in rows]


def features_of(
    cat: Catalogue, ruleset: str, deals: Iterable[tuple[str, int]]
) -> dict[tuple[str, int], GradedDeal]:
    """The deals of a list that have features, of any version, by dealer and seed.

    Raises:
        BadInput: unknown ruleset.
    """
    by_dealer: dict[str, list[int]] = {}
    for dealer, seed in deals:
        by_dealer.setdefault(dealer, []).append(seed)
    found = {}
    with cat.session() as session:
        ruleset_id = _ruleset_id(session, ruleset)
        if ruleset_id is None:
            return {}
        known = read_model(session, ruleset_id)
        game = parse_ruleset(ruleset).game
        for dealer, seeds in by_dealer.items():
            dealing_id = session.scalar(
                select(DealingRow.id).where(DealingRow.game == game, DealingRow.dealer == dealer)
            )
            for low in range(0, len(seeds), _LOOKED_UP):
                rows = session.execute(
                    _query().where(
                        FeaturesRow.ruleset_id == ruleset_id,
                        FeaturesRow.dealing_id == dealing_id,
                        FeaturesRow.seed.in_(seeds[low : low + _LOOKED_UP]),
                    )
                )
                found.update({(row.dealer, row.seed): _deal(row, known) for row in rows})
    return found


def model(cat: Catalogue, ruleset: str) -> DifficultyModel | None:
    """The model of a ruleset: that of the catalogue, or else the shipped one; None without.

    Raises:
        BadInput: unknown ruleset, or a damaged model.
    """
    slug = parse_ruleset(ruleset).slug
    with cat.session() as session:
        ruleset_id = _ruleset_id(session, slug)
        own = None if ruleset_id is None else read_model(session, ruleset_id)
    return shipped_model(slug) if own is None else own


def levels(cat: Catalogue, ruleset: str) -> list[int]:
    """The number of deals of each level, 1 to 10."""
    with cat.session() as session:
        rows = session.execute(
            select(FeaturesRow.level, func.count())
            .where(FeaturesRow.ruleset_id == _ruleset_id(session, ruleset))
            .group_by(FeaturesRow.level)
        ).all()
    counts = {row[0]: row[1] for row in rows}
    return [counts.get(level, 0) for level in range(1, len(LEVELS) + 1)]


def rulesets(cat: Catalogue) -> list[str]:
    """The rulesets under which some deal has features."""
    with cat.session() as session:
        return list(
            session.scalars(
                select(RulesetRow.slug)
                .where(select(FeaturesRow).where(FeaturesRow.ruleset_id == RulesetRow.id).exists())
                .order_by(RulesetRow.id)
            )
        )


def of_version(ruleset_id: int) -> ColumnElement[bool]:
    """The condition that features of a ruleset are of the one version that is read.

    It is that of the ruleset's model, so that levels and features fit together; without a model it
    is this program's.
    """
    of_model = select(DifficultyRow.features_version).where(DifficultyRow.ruleset_id == ruleset_id)
    return FeaturesRow.version == func.coalesce(of_model.scalar_subquery(), VERSION)


def _ruleset_id(session: Session, ruleset: str) -> int | None:
    return RulesetRow.id_of(session, parse_ruleset(ruleset).slug)


def _conditions(ruleset_id: int, wanted: DealConditions) -> list[ColumnElement[bool]]:
    conditions = [FeaturesRow.ruleset_id == ruleset_id, of_version(ruleset_id)]
    if wanted.dealer is not None:
        dealings = select(DealingRow.id).where(DealingRow.dealer == wanted.dealer)
        conditions.append(FeaturesRow.dealing_id.in_(dealings))
    for column, (low, high) in (
        (FeaturesRow.level, wanted.levels),
        (FeaturesRow.length, wanted.lengths),
        (FeaturesRow.critical, wanted.criticals),
    ):
        if low is not None:
            conditions.append(column >= low)
        if high is not None:
            conditions.append(column <= high)
    if wanted.critical_before is not None:
        conditions.append(FeaturesRow.first_critical < wanted.critical_before)
    if wanted.needs is not None:
        needs = FeaturesRow.needs
        word = wanted.needs
        conditions.append(
            or_(
                needs == word,
                needs.startswith(f"{word} ", autoescape=True),
                needs.endswith(f" {word}", autoescape=True),
                needs.contains(f" {word} ", autoescape=True),
            )
        )
    if wanted.played:
        conditions.append(FeaturesRow.games > 0)
    return conditions


def _winnable_blocks(
    session: Session, ruleset_id: int, wanted: DealConditions
) -> list[tuple[int, int]]:
    """The blocks that have winnable deals: numbers of the dealing and of the block."""
    query = (
        select(StatusBlockRow.dealing_id, StatusBlockRow.block)
        .join(DealingRow, DealingRow.id == StatusBlockRow.dealing_id)
        .where(
            StatusBlockRow.ruleset_id == ruleset_id,
            StatusBlockRow.winnable > 0,
            is_dealt(StatusBlockRow.dealing_id),  # of imported deals there are no features
        )
        .order_by(StatusBlockRow.dealing_id, StatusBlockRow.block)
    )
    if wanted.dealer is not None:
        query = query.where(DealingRow.dealer == wanted.dealer)
    return [(row[0], row[1]) for row in session.execute(query)]


def _among(deals: Sequence[Any], blocks: Sequence[tuple[int, int]]) -> FirstDeal:
    """Tells which places are those of deals that have been read."""
    index = {block: at for at, block in enumerate(blocks)}
    taken = np.sort(
        [
            index[dealing_id, seed // BLOCK_SIZE] * BLOCK_SIZE + seed % BLOCK_SIZE
            for dealing_id, seed in deals
        ]
    )

    def first(where: Whole, offsets: Whole) -> int | None:
        places = where * BLOCK_SIZE + offsets
        near = np.searchsorted(taken, places).clip(max=len(taken) - 1)
        hits = np.flatnonzero(taken[near] == places)
        return int(hits[0]) if len(hits) else None

    return first


def _looked_up(
    session: Session,
    ruleset_id: int,
    conditions: list[ColumnElement[bool]],
    blocks: Sequence[tuple[int, int]],
) -> FirstDeal:
    """Tells which places are those of deals by looking them up, some at a time."""
    # So that no index but the primary key is of use: by that of levels SQLite reads all of a level.
    suits = case((and_(*conditions), 1), else_=0) == 1

    def first(where: Whole, offsets: Whole) -> int | None:
        for low in range(0, len(where), _LOOKED_UP):
            some = slice(low, low + _LOOKED_UP)
            keys = [
                (blocks[at][0], blocks[at][1] * BLOCK_SIZE + offset)
                for at, offset in zip(where[some].tolist(), offsets[some].tolist(), strict=True)
            ]
            there = set()
            for dealing_id in {key[0] for key in keys}:
                seeds = [seed for dealing, seed in keys if dealing == dealing_id]
                rows = session.scalars(
                    select(FeaturesRow.seed).where(
                        FeaturesRow.ruleset_id == ruleset_id,
                        FeaturesRow.dealing_id == dealing_id,
                        FeaturesRow.seed.in_(seeds),
                        suits,
                    )
                )
                there |= {(dealing_id, seed) for seed in rows}
            if there:
                return low + next(at for at, key in enumerate(keys) if key in there)
        return None

    return first


def _count(session: Session, conditions: list[ColumnElement[bool]]) -> int:
    some = select(FeaturesRow.seed).where(*conditions).limit(MOST_COUNTED).subquery()
    return session.scalar(select(func.count()).select_from(some)) or 0


def _read(
    session: Session,
    ruleset_id: int,
    conditions: list[ColumnElement[bool]],
    count: int,
    after: tuple[str, int] | None,
) -> list[GradedDeal]:
    query = _query().where(*conditions)
    if after is not None:
        dealer, seed = after
        dealing_id = session.scalar(
            select(DealingRow.id)
            .join(RulesetRow, RulesetRow.game == DealingRow.game)
            .where(RulesetRow.id == ruleset_id, DealingRow.dealer == dealer)
        )
        if dealing_id is not None:
            seed = min(seed, MAX_STORED_SEED)
            query = query.where(
                tuple_(FeaturesRow.dealing_id, FeaturesRow.seed) > (dealing_id, seed)
            )
    rows = session.execute(query.limit(count)).all()
    known = read_model(session, ruleset_id)
    return [_deal(row, known) for row in rows]


def _query() -> Any:
    return (
        select(*FeaturesRow.__table__.columns, DealingRow.dealer, RulesetRow.slug)
        .join(DealingRow, DealingRow.id == FeaturesRow.dealing_id)
        .join(RulesetRow, RulesetRow.id == FeaturesRow.ruleset_id)
        .order_by(FeaturesRow.ruleset_id, FeaturesRow.dealing_id, FeaturesRow.seed)
    )


def deal_of_row(row: Any, known: DifficultyModel | None, name: str) -> GradedDeal:
    """The deal of a row of features with what `_query` joins, by the model of its ruleset."""
    low = high = None
    if known is not None and row.difficulty is not None:
        ends = np.array([row.difficulty - row.deviation, row.difficulty + row.deviation])
        low, high = known.level(ends).tolist()
    return GradedDeal(
        name,
        row.dealer,
        row.seed,
        row.slug,
        row.level,
        row.difficulty,
        row.deviation,
        low,
        high,
        row.games or 0,
        row.nodes,
        row.length,
        row.winning / row.plays if row.plays else 1.0,
        row.choices,
        row.critical,
        row.first_critical,
        *_chance(row),
        tuple(row.needs.split()),
        row.version,
    )


def _chance(row: Any) -> tuple[float | None, float | None, float | None]:
    """The chance that play at random wins, its error, and what it is at most."""
    if row.version != VERSION:
        return None, None, None
    chance = exp(-row.luck)
    if row.luck_error is None:
        return None, None, chance
    error = chance * row.luck_error
    return chance, error, min(chance + 2 * error, 1.0)


def _deal(row: Any, known: DifficultyModel | None) -> GradedDeal:
    return deal_of_row(row, known, f"{row.dealer}:{row.seed}")
