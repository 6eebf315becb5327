"""The context of a check: the catalogue, the rows to check, and the report."""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
from sqlalchemy import ColumnElement, String, cast, select
from sqlalchemy.orm import Session

from catalogue.schema import Base, DealRow, OnOutcome, RulesetRow, SolverRow
from catalogue.store import Catalogue
from catalogue.verify.report import Fault
from engine import game
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of, get_game
from engine.rulesets import parse_ruleset

# Rows per query.
_BATCH = 500


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """A row based on an outcome, with its deal.

    Attributes:
        rules: the ruleset.
        deal: the deal, which is of the ruleset's game.
        name: names of deal and solver, for messages.
        solver: slug of the solver's method.
        values: of the columns asked for.
    """

    rules: Rules
    deal: game.Deal
    name: str
    solver: str
    values: tuple[Any, ...]


class Context:
    """The catalogue as seen by the checks, and their results so far.

    Args:
        cat: the catalogue; it is only read.
        share: share of the rows to check with the referee or dealer, 0 to 1.
        resolve_share: share of the rows to check with another solver, 0 to 1.
        seed: random seed of the selection, which for each check is independent of the others.
        deal_ids: the only deals to check; None for all.
    """

    def __init__(
        self,
        cat: Catalogue,
        share: float,
        resolve_share: float,
        seed: int,
        deal_ids: Collection[int] | None = None,
    ) -> None:
        self.cat = cat
        self.share = share
        self.resolve_share = resolve_share
        self.seed = seed
        self.deal_ids = deal_ids
        self.checked: Counter[str] = Counter()
        self.faults: list[Fault] = []
        self._random = np.random.default_rng(seed)
        with cat.session() as session:
            self._rulesets = _by_id(session, RulesetRow.slug)
            self._solvers = _by_id(session, SolverRow.name)
            self._methods = _by_id(session, SolverRow.method)

    def begin(self, check: str) -> None:
        """Prepare for a check, given its name."""
        self._random = np.random.default_rng((self.seed, crc32(check.encode())))

    def fault(self, kind: str, where: str, what: str) -> None:
        """Report a fault."""
        self.faults.append(Fault(kind, where, what))

    def rules(self, ruleset_id: int) -> Rules | None:
        """The rules of a ruleset's row; None if there are none, which other checks report."""
        try:
            return parse_ruleset(self._rulesets[ruleset_id])
        except (KeyError, BadInput):
            return None

    def slug(self, ruleset_id: int) -> str:
        """The slug of a ruleset's row, or its number if there is none."""
        return self._rulesets.get(ruleset_id, f"ruleset {ruleset_id}")

    def solver(self, solver_id: int) -> str:
        """The name of a solver's row, or its number if there is none."""
        return self._solvers.get(solver_id, f"solver {solver_id}")

    def method(self, solver_id: int) -> str:
        """The slug of the method of a solver's row, or its number if there is none."""
        return self._methods.get(solver_id, f"solver {solver_id}")

    def is_asked(self, deal_id: Any) -> list[ColumnElement[bool]]:
        """The condition that a column of deal ids refers to a deal to check."""
        return [] if self.deal_ids is None else [deal_id.in_(self.deal_ids)]

    def choose(self, rows: Sequence[Any], share: float) -> list[Any]:
        """A random share of rows; all of them if single deals are checked."""
        if share >= 1 or self.deal_ids is not None:
            return list(rows)
        picked = self._random.random(len(rows)) < share
        return [row for row, taken in zip(rows, picked, strict=True) if taken]

    def rows(
        self, model: OnOutcome, columns: tuple[Any, ...], share: float
    ) -> Iterator[CheckedRow]:
        """Yield a random share of the rows of a table, with these columns."""
        key = (model.ruleset_id, model.solver_id, model.deal_id)
        with self.cat.session() as session:
            every = select(*key).where(*self.is_asked(model.deal_id)).order_by(*key)
            chosen = self.choose(session.execute(every).all(), share)
        for batch in batches(chosen):
            with self.cat.session() as session:
                found = [
                    session.execute(
                        select(DealRow.game, DealRow.cards, DealRow.dealer, DealRow.seed, *columns)
                        .join(DealRow, DealRow.id == model.deal_id)
                        .where(
                            model.ruleset_id == ruleset_id,
                            model.solver_id == solver_id,
                            model.deal_id == deal_id,
                        )
                    ).first()
                    for ruleset_id, solver_id, deal_id in batch
                ]
            for (ruleset_id, solver_id, deal_id), row in zip(batch, found, strict=True):
                rules = self.rules(ruleset_id)
                if row is None or rules is None:
                    continue  # the checks of references and names report these
                slug, cards, dealer, seed, *values = row
                name = f"{deal_name(dealer, seed, deal_id)} by {self.solver(solver_id)}"
                try:
                    deal = self.deal(slug, cards, rules)
                except BadInput as error:
                    self.fault("deal", f"{name} under {rules.slug}", str(error))
                    continue
                yield CheckedRow(rules, deal, name, self.method(solver_id), tuple(values))

    def deal(self, slug: str, cards: bytes, rules: Rules) -> game.Deal:
        """The deal of a row.

        Raises:
            BadInput: it is no deal, or one of another game than the ruleset's.
        """
        deal = get_game(slug).deal(cards)
        if deal.game != rules.game:
            raise BadInput(
                f"it is a deal of {game_of(deal).name}: expected one of {game_of(rules).name}"
            )
        return deal

    def compare(self, kind: str, where: str, wanted: dict[str, Any], stored: Any) -> None:
        """Report each value of a stored row that differs from the recomputed one."""
        for name, value in wanted.items():
            found = getattr(stored, name)
            # Sums of floats depend on the order of summation.
            same = math.isclose(value, found) if isinstance(value, float) else value == found
            if not same:
                self.fault(kind, where, f"{name} is {found}, recomputed it is {value}")

    def row_name(self, model: type[Base], key: Mapping[str, Any]) -> str:
        """The name of a row in words, given the values of its primary key."""
        deal_id = key.get("deal_id", key["id"] if model is DealRow else None)
        named = [] if deal_id is None else [self._deal_of(deal_id)]
        if "solver_id" in key:
            named.append(f"by {self.solver(_whole(key['solver_id']))}")
        if "ruleset_id" in key:
            named.append(f"under {self.slug(_whole(key['ruleset_id']))}")
        own = {"deal_id", "solver_id", "ruleset_id"}
        rest = [] if model is DealRow else [str(key[name]) for name in key if name not in own]
        return " ".join([model.__tablename__, *rest, *named])

    def _deal_of(self, deal_id: Any) -> str:
        with self.cat.session() as session:
            found = session.execute(
                select(cast(DealRow.dealer, String), cast(DealRow.seed, String)).where(
                    DealRow.id == _whole(deal_id)
                )
            ).first()
        dealer, seed = found or (None, None)
        return f"{dealer}:{seed}" if dealer and seed else f"deal {deal_id}"

    def where(self, ruleset_id: int, dealer: str | None, seed: int | None, deal_id: int) -> str:
        """A deal under a ruleset, in words."""
        return f"{deal_name(dealer, seed, deal_id)} under {self.slug(ruleset_id)}"


def deal_name(dealer: str | None, seed: int | None, deal_id: int) -> str:
    """A deal in words: its name, or for an imported deal the number of its row."""
    return f"{dealer}:{seed}" if dealer else f"deal {deal_id}"


def _whole(value: Any) -> int:
    """A number that may have been read as text; −1, which no row has, if it is none."""
    try:
        return int(value)
    except (TypeError, ValueError):
        return -1


def batches(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield rows in batches."""
    for start in range(0, len(rows), _BATCH):
        yield rows[start : start + _BATCH]


def _by_id(session: Session, column: Any) -> dict[int, str]:
    return {row.id: row[1] for row in session.execute(select(column.class_.id, column))}
