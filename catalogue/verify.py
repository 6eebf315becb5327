"""Verification: recompute what the catalogue says and report what does not hold.

It reports and never repairs: what a fault means, and which of two sides is wrong, is for a person
to find out. Every count and every status is recomputed; of the solutions, dead ends, regrets, cards
and verdicts a random share is, because those take the referee or a solver to judge.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from catalogue.chunk import digest
from catalogue.outcomes import SEARCHES, status_of
from catalogue.schema import (
    BLOCK_SIZE,
    DeadEnd,
    Deal,
    OnOutcome,
    Outcome,
    Regret,
    Ruleset,
    Solution,
    Solver,
    Status,
    StatusTally,
    Tally,
    same_outcome,
)
from catalogue.store import Catalogue
from engine import games
from engine.cards import parse_card
from engine.dead_ends import check_witness
from engine.dealers import get_dealer
from engine.deals import KlondikeDeal
from engine.errors import BadInput
from engine.games import game_of, get_game
from engine.moves import unpack_solution
from engine.referee import Position
from engine.replay import replay, wins
from engine.rulesets import Rules, parse_klondike, parse_ruleset
from solvers.outcome import Result
from solvers.registry import configure, get_method, method_slugs
from solvers.regret import RegretKind, action_of, line

# Rows looked at between two queries.
_BATCH = 500
# Shares nothing with the solver that found the losing moves.
_SECOND_JUDGE = "exact-plain"
_OF_REGRET = (Regret.kind, Regret.step, Regret.action, Regret.length, Regret.moves)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something stored that does not hold.

    Attributes:
        kind: which check found it: contradiction, solution, dead end, regret, cards, verdict,
            status, tally or status tally.
        where: the row, in words.
        what: what is wrong with it.
    """

    kind: str
    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.where}: {self.what}"


@dataclass(frozen=True, slots=True)
class Report:
    """What was checked, and what does not hold.

    Attributes:
        checked: how many of each kind were looked at.
        faults: what was found wrong; empty is what it should be.
    """

    checked: dict[str, int]
    faults: tuple[Fault, ...]

    @property
    def holds(self) -> bool:
        return not self.faults

    def __str__(self) -> str:
        lines = [f"{count:>10,} checked: {kind}" for kind, count in self.checked.items()]
        lines += [str(fault) for fault in self.faults]
        lines.append("everything holds" if self.holds else f"{len(self.faults)} do not hold")
        return "\n".join(lines)


def verify(
    cat: Catalogue, *, share: float = 0.1, resolve_share: float = 0.01, seed: int = 0
) -> Report:
    """Recompute what is stored.

    Args:
        cat: the catalogue; it is only read.
        share: of the solutions and lost games that the referee replays, of the dead ends whose
            witness it checks, and of the deals that are dealt again; 0 to 1.
        resolve_share: of the decided deals, and of the losing moves, that another solver is asked
            about; 0 to 1.
        seed: of the random choice.

    Raises:
        BadInput: a share is not between 0 and 1.
    """
    for name, value in (("share", share), ("resolve_share", resolve_share)):
        if not 0 <= value <= 1:
            raise BadInput(f"{name} {value} is out of range: expected 0 to 1")
    check = _Check(cat, np.random.default_rng(seed))
    with cat.session() as session:
        check.statuses(session)
        check.tallies(session)
        check.status_tallies(session)
        check.belongings(session)
    check.solutions(share)
    check.dead_ends(share)
    check.regrets(share)
    check.losing_moves(resolve_share)
    check.cards(share)
    check.verdicts(resolve_share)
    return Report(dict(check.checked), tuple(check.faults))


def recomputed_statuses() -> Any:
    """What `status` should hold, from the outcomes alone: its columns except `status` itself."""
    decided = Outcome.result.in_((Result.WON.value, Result.UNWINNABLE.value))
    key = (Outcome.ruleset_id, Outcome.deal_id)
    return (
        select(
            *key,
            Deal.dealer,
            Deal.seed,
            func.count().label("solvers"),
            func.sum(case((Outcome.result == Result.WON.value, 1), else_=0)).label("wins"),
            func.sum(case((Outcome.result == Result.UNWINNABLE.value, 1), else_=0)).label("proofs"),
            func.min(case((Solver.method.in_(SEARCHES) & decided, Outcome.nodes))).label("nodes"),
            func.min(Solution.length).label("solution_length"),
            func.min(DeadEnd.kind).label("dead_end"),
        )
        .join(Deal, Deal.id == Outcome.deal_id)
        .join(Solver, Solver.id == Outcome.solver_id)
        .outerjoin(Solution, same_outcome(Solution))
        .outerjoin(DeadEnd, same_outcome(DeadEnd))
        .group_by(*key, Deal.dealer, Deal.seed)
    )


def recomputed_tallies() -> Any:
    """What `tally` should hold, its columns in order, from the outcomes alone."""
    block = (Deal.seed // BLOCK_SIZE).label("block")
    key = (Outcome.ruleset_id, Outcome.solver_id, Deal.dealer, block)
    return (
        select(
            *key,
            func.count(),
            *(
                func.sum(case((Outcome.result == result, 1), else_=0))
                for result in ("won", "lost", "unwinnable", "gave_up")
            ),
            func.sum(Outcome.nodes),
            func.sum(Outcome.cpu_ms),
        )
        .join(Deal, Deal.id == Outcome.deal_id)
        .where(Deal.dealer.is_not(None))
        .group_by(*key)
    )


class _Check:
    """The checks and what they have found so far."""

    def __init__(self, cat: Catalogue, random: np.random.Generator) -> None:
        self.cat = cat
        self.random = random
        self.checked: Counter[str] = Counter()
        self.faults: list[Fault] = []
        with cat.session() as session:
            self.rulesets = _by_id(session, Ruleset.slug)
            self.solvers = _by_id(session, Solver.name)
            self.methods = _by_id(session, Solver.method)

    def fault(self, kind: str, where: str, what: str) -> None:
        self.faults.append(Fault(kind, where, what))

    def statuses(self, session: Session) -> None:
        expected = recomputed_statuses().subquery()
        names = (
            *("dealer", "seed", "solvers", "wins", "proofs"),
            *("nodes", "solution_length", "dead_end"),
        )
        # Both ways round: a row may be missing on either side.
        same = (Status.ruleset_id == expected.c.ruleset_id) & (Status.deal_id == expected.c.deal_id)
        for row in session.execute(
            select(expected, Status).outerjoin(Status, same).execution_options(yield_per=_BATCH)
        ):
            *values, stored = row
            ruleset_id, deal_id = values[:2]
            wanted = dict(zip(names, values[2:], strict=True))
            wanted["status"] = status_of(wanted["wins"], wanted["proofs"])
            where = self._where(ruleset_id, wanted["dealer"], wanted["seed"], deal_id)
            self.checked["status"] += 1
            if stored is None:
                self.fault("status", where, "missing, though there are outcomes")
            else:
                self._compare("status", where, wanted, stored)
            if wanted["wins"] and wanted["proofs"]:
                self.fault(
                    "contradiction",
                    where,
                    f"{wanted['wins']} solvers won it, {wanted['proofs']} proved it unwinnable",
                )
        for stored in session.scalars(
            select(Status).outerjoin(expected, same).where(expected.c.deal_id.is_(None))
        ):
            where = self._where(stored.ruleset_id, stored.dealer, stored.seed, stored.deal_id)
            self.fault("status", where, "there is no outcome")

    def tallies(self, session: Session) -> None:
        names = ("attempted", "won", "lost", "unwinnable", "gave_up", "nodes", "cpu_ms")
        expected = {
            tuple(row[:4]): dict(zip(names, row[4:], strict=True))
            for row in session.execute(recomputed_tallies())
        }
        for stored in session.scalars(select(Tally)):
            key = (stored.ruleset_id, stored.solver_id, stored.dealer, stored.block)
            where = (
                f"{self.solvers[stored.solver_id]} under {self.rulesets[stored.ruleset_id]}, "
                f"block {stored.block} of {stored.dealer}"
            )
            self.checked["tally"] += 1
            self._compare("tally", where, expected.pop(key, dict.fromkeys(names, 0)), stored)
        for key in expected:
            self.fault("tally", f"block {key[3]} of {key[2]}", "missing, though there are outcomes")

    def status_tallies(self, session: Session) -> None:
        names = ("deals", "winnable", "unwinnable", "alarms")
        known = recomputed_statuses().subquery()
        block = (known.c.seed // BLOCK_SIZE).label("block")
        won, proved = known.c.wins > 0, known.c.proofs > 0
        expected = {
            tuple(row[:3]): dict(zip(names, row[3:], strict=True))
            for row in session.execute(
                select(
                    known.c.ruleset_id,
                    known.c.dealer,
                    block,
                    func.count(),
                    func.sum(case((won, 1), else_=0)),
                    func.sum(case((proved & ~won, 1), else_=0)),
                    func.sum(case((proved & won, 1), else_=0)),
                )
                .where(known.c.dealer.is_not(None))
                .group_by(known.c.ruleset_id, known.c.dealer, block)
            )
        }
        for stored in session.scalars(select(StatusTally)):
            where = f"{self.rulesets[stored.ruleset_id]}, block {stored.block} of {stored.dealer}"
            key = (stored.ruleset_id, stored.dealer, stored.block)
            self.checked["status tally"] += 1
            self._compare("status tally", where, expected.pop(key, dict.fromkeys(names, 0)), stored)
        for key in expected:
            self.fault(
                "status tally", f"block {key[2]} of {key[1]}", "missing, though there are outcomes"
            )

    def belongings(self, session: Session) -> None:
        """What rests on an outcome belongs to its result, and each won one has a solution."""
        named = select(Outcome.ruleset_id, Deal.dealer, Deal.seed, Deal.id, Outcome.result).join(
            Deal, Deal.id == Outcome.deal_id
        )
        won = Outcome.result == Result.WON.value
        for kind, query, what in (
            (
                "solution",
                named.outerjoin(Solution, same_outcome(Solution)).where(
                    won, Solution.deal_id.is_(None)
                ),
                "won, but there is no solution",
            ),
            (
                "solution",
                named.join(Solution, same_outcome(Solution)).where(~won),
                "there is a solution, but the outcome is {result}",
            ),
            (
                "dead end",
                named.join(DeadEnd, same_outcome(DeadEnd)).where(
                    Outcome.result != Result.UNWINNABLE.value
                ),
                "there is a dead end, but the outcome is {result}",
            ),
            (
                "regret",
                named.join(Regret, same_outcome(Regret)).where(Outcome.result != Result.LOST.value),
                "there is a regret, but the outcome is {result}",
            ),
        ):
            for ruleset_id, dealer, seed, deal_id, result in session.execute(query):
                where = self._where(ruleset_id, dealer, seed, deal_id)
                self.fault(kind, where, what.format(result=result))

    def solutions(self, share: float) -> None:
        """Replay solutions in the referee."""
        columns = (Solution.moves, Solution.length)
        for ruleset_id, deal, name, (moves, length) in self._sampled(Solution, columns, share):
            rules = parse_ruleset(self.rulesets[ruleset_id])
            game = game_of(rules)
            where = f"{name} under {rules.slug}"
            self.checked["solution"] += 1
            if length != game.length(moves):
                self.fault(
                    "solution", where, f"its length is {game.length(moves)}, stored is {length}"
                )
            try:
                if not replay(game.start(deal, rules), game.unpack(moves)).is_won:
                    self.fault("solution", where, "its moves do not end in a win")
            except BadInput as error:
                self.fault("solution", where, str(error))

    def dead_ends(self, share: float) -> None:
        """Check witnesses the slow way."""
        columns = (DeadEnd.kind, DeadEnd.witness)
        for ruleset_id, deal, name, (kind, witness) in self._sampled(DeadEnd, columns, share):
            slug = self.rulesets[ruleset_id]
            self.checked["dead end"] += 1
            try:
                cards = [parse_card(card) for card in witness.split()]
                proved = check_witness(_klondike(deal), parse_klondike(slug), kind, cards)
                reason = f"its witness {witness} does not prove it a dead end of kind {kind}"
            except BadInput as error:
                proved, reason = False, str(error)
            if not proved:
                self.fault("dead end", f"{name} under {slug}", reason)

    def regrets(self, share: float) -> None:
        """Replay lost games in the referee, and see that each says of itself what is so."""
        for ruleset_id, deal, name, values in self._sampled(Regret, _OF_REGRET, share):
            slug = self.rulesets[ruleset_id]
            self.checked["regret"] += 1
            for what in _wrong_with(deal, slug, *values):
                self.fault("regret", f"{name} under {slug}", what)

    def losing_moves(self, share: float) -> None:
        """Ask another solver whether a win was possible before a losing move and not after it."""
        other = configure(get_method(_SECOND_JUDGE), {})
        for ruleset_id, deal, name, values in self._sampled(Regret, _OF_REGRET, share):
            kind, step, _, _, moves = values
            rules = parse_ruleset(self.rulesets[ruleset_id])
            where = f"{name} under {rules.slug}"
            if _wrong_with(deal, rules.slug, *values) or not other.plays(rules):
                continue  # `regrets` says so
            start = Position.start(_klondike(deal), parse_klondike(rules.slug))
            positions = line(start, unpack_solution(moves))
            self.checked["losing move"] += 1
            if kind in (RegretKind.MOVE, RegretKind.STOPPED):
                found = other.solve_position(positions[step])
                if found.result == Result.UNWINNABLE:
                    self.fault(
                        "regret", where, f"{other} proves that it was lost before move {step + 1}"
                    )
            if kind in (RegretKind.MOVE, RegretKind.UNWINNABLE):
                number = 0 if step is None else step + 1
                found = other.solve_position(positions[number])
                if found.result == Result.WON:
                    won = replay(positions[number], unpack_solution(found.moves or b"")).is_won
                    how = "wins it" if won else "wins it by moves that do not replay"
                    self.fault("regret", where, f"after move {number} {other} {how}")

    def cards(self, share: float) -> None:
        """Deal again, and compare digests."""
        with self.cat.session() as session:
            chosen = self._choose(session.scalars(select(Deal.id).order_by(Deal.id)).all(), share)
        for batch in _batches(chosen):
            with self.cat.session() as session:
                rows = session.execute(
                    select(Deal.game, Deal.dealer, Deal.seed, Deal.digest, Deal.cards).where(
                        Deal.id.in_(batch)
                    )
                ).all()
            for slug, dealer, seed, stored, cards in rows:
                where = f"{dealer}:{seed}" if dealer else f"deal {stored}"
                self.checked["cards"] += 1
                if digest(np.frombuffer(cards, dtype=np.uint8)) != stored:
                    self.fault("cards", where, "the digest is not that of the cards")
                if dealer is None or seed is None:
                    continue
                try:
                    dealt = get_dealer(dealer).deal_block(seed, 1, get_game(slug))
                except BadInput as error:
                    self.fault("cards", where, str(error))
                    continue
                if dealt.tobytes() != cards:
                    self.fault("cards", where, "its dealer deals other cards for its seed")

    def verdicts(self, share: float) -> None:
        """Ask other solvers about decided deals, those that had no part in deciding them."""
        with self.cat.session() as session:
            decided = session.execute(
                select(Status.ruleset_id, Status.deal_id)
                .where(Status.status != "unresolved")
                .order_by(Status.ruleset_id, Status.deal_id)
            ).all()
        for batch in _batches(self._choose(decided, share)):
            # Solved together are those under one ruleset that one method has yet to be asked about.
            asked: dict[tuple[int, str], list[tuple[str, str, bytes]]] = defaultdict(list)
            with self.cat.session() as session:
                for ruleset_id, deal_id in batch:
                    row = session.execute(
                        select(Status.status, Deal.dealer, Deal.seed, Deal.cards)
                        .join(Deal, Deal.id == Status.deal_id)
                        .where(Status.ruleset_id == ruleset_id, Status.deal_id == deal_id)
                    ).one()
                    by = session.scalars(
                        select(Outcome.solver_id).where(
                            Outcome.ruleset_id == ruleset_id,
                            Outcome.deal_id == deal_id,
                            Outcome.result.in_((Result.WON.value, Result.UNWINNABLE.value)),
                        )
                    ).all()
                    rules = parse_ruleset(self.rulesets[ruleset_id])
                    where = self._where(ruleset_id, row.dealer, row.seed, deal_id)
                    for slug in self._others(rules, {self.methods[solver_id] for solver_id in by}):
                        asked[ruleset_id, slug].append((where, row.status, row.cards))
            for (ruleset_id, slug), deals in asked.items():
                self._ask(parse_ruleset(self.rulesets[ruleset_id]), slug, deals)

    def _others(self, rules: Rules, by: set[str]) -> list[str]:
        # Players are not asked: that they lose says nothing.
        methods = [get_method(slug) for slug in method_slugs() if slug not in by]
        return [m.slug for m in methods if m.sees == "deal" and configure(m, {}).plays(rules)]

    def _ask(self, rules: Rules, slug: str, deals: Sequence[tuple[str, str, bytes]]) -> None:
        solver, game = configure(get_method(slug), {}), game_of(rules)
        cards = np.frombuffer(b"".join(row for _, _, row in deals), dtype=np.uint8)
        outcomes = solver.solve(cards.reshape(-1, game.cards), rules)
        for (where, status, row), outcome in zip(deals, outcomes, strict=True):
            self.checked["verdict"] += 1
            if outcome.result == Result.WON:
                moves = game.unpack(outcome.moves or b"")
                if not wins(game.start(game.deal(row), rules), moves):
                    self.fault("verdict", where, f"{solver} wins it by moves that do not replay")
                elif status == "unwinnable":
                    self.fault("verdict", where, f"stored as unwinnable, but {solver} wins it")
            elif outcome.result == Result.UNWINNABLE and status == "winnable":
                self.fault("verdict", where, f"stored as winnable, but {solver} proves it is not")

    def _sampled(
        self, model: OnOutcome, columns: tuple[Any, ...], share: float
    ) -> Iterator[tuple[int, games.Deal, str, tuple[Any, ...]]]:
        """Ruleset, deal, name of both deal and solver, and the columns, of a share of the rows."""
        key = (model.ruleset_id, model.solver_id, model.deal_id)
        with self.cat.session() as session:
            chosen = self._choose(session.execute(select(*key).order_by(*key)).all(), share)
        for batch in _batches(chosen):
            with self.cat.session() as session:
                rows = [
                    session.execute(
                        select(Deal.game, Deal.cards, Deal.dealer, Deal.seed, *columns)
                        .join(Deal, Deal.id == model.deal_id)
                        .where(
                            model.ruleset_id == ruleset_id,
                            model.solver_id == solver_id,
                            model.deal_id == deal_id,
                        )
                    ).one()
                    for ruleset_id, solver_id, deal_id in batch
                ]
            for (ruleset_id, solver_id, deal_id), row in zip(batch, rows, strict=True):
                game, cards, dealer, seed, *values = row
                name = f"{dealer}:{seed}" if dealer else f"deal {deal_id}"
                yield (
                    ruleset_id,
                    get_game(game).deal(cards),
                    f"{name} by {self.solvers[solver_id]}",
                    tuple(values),
                )

    def _choose(self, rows: Sequence[Any], share: float) -> list[Any]:
        if share >= 1:
            return list(rows)
        picked = self.random.random(len(rows)) < share
        return [row for row, taken in zip(rows, picked, strict=True) if taken]

    def _compare(self, kind: str, where: str, wanted: dict[str, Any], stored: Any) -> None:
        for name, value in wanted.items():
            found = getattr(stored, name)
            # Sums of fractions depend on the order of their parts.
            same = math.isclose(value, found) if isinstance(value, float) else value == found
            if not same:
                self.fault(kind, where, f"{name} is {found}, recomputed it is {value}")

    def _where(self, ruleset_id: int, dealer: str | None, seed: int | None, deal_id: int) -> str:
        name = f"{dealer}:{seed}" if dealer else f"deal {deal_id}"
        return f"{name} under {self.rulesets[ruleset_id]}"


def _by_id(session: Session, column: Any) -> dict[int, str]:
    return {row.id: row[1] for row in session.execute(select(column.class_.id, column))}


def _klondike(deal: games.Deal) -> KlondikeDeal:
    """A deal that what rests on it says is one of Klondike.

    Raises:
        BadInput: it is not.
    """
    if not isinstance(deal, KlondikeDeal):
        raise BadInput(f"it is a deal of {game_of(deal).name}: expected one of Klondike")
    return deal


def _wrong_with(
    deal: games.Deal,
    ruleset: str,
    kind: str,
    step: int | None,
    action: str | None,
    length: int,
    moves: bytes,
) -> list[str]:
    """What a stored regret says of itself that is not so, whether or not its judge was right."""
    try:
        start = Position.start(_klondike(deal), parse_klondike(ruleset))
        played = unpack_solution(moves)
        positions = line(start, played)
    except BadInput as error:
        return [str(error)]
    wrong = []
    if length != len(moves):
        wrong.append(f"its length is {len(moves)}, stored is {length}")
    if positions[-1].is_won:
        wrong.append("its moves win the game")
    if kind not in set(RegretKind):
        wrong.append(f"there is no kind {kind!r}")
    elif kind == RegretKind.MOVE and (step is None or not 0 <= step < len(played)):
        wrong.append(f"its game of {len(played)} moves has no move after {step}")
    elif kind == RegretKind.STOPPED and step != len(played):
        wrong.append(f"it stopped after {len(played)} moves, stored is {step}")
    elif kind in (RegretKind.UNWINNABLE, RegretKind.UNDECIDED) and step is not None:
        wrong.append(f"it is {kind}, but has a losing move after {step}")
    else:
        lost_by = None
        if kind == RegretKind.MOVE and step is not None:
            lost_by = action_of(positions[step], played[step])
        if action != lost_by:
            wrong.append(f"its losing move is {lost_by}, stored is {action}")
    return wrong


def _batches(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(rows), _BATCH):
        yield rows[start : start + _BATCH]
