"""Reading everything known about one deal.

Of an outcome without a row there is no solution. If its block says that the solver was quick, the
deal is solved again when it is read (`remade`), by the same solver in the same version; what it
finds must agree with the block.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalogue.blocks import RESULTS, Outcomes, Statuses, effort_of
from catalogue.outcomes.compression import decompress
from catalogue.outcomes.provenance import Provenance
from catalogue.reading.block_reader import read_statuses
from catalogue.reading.cell_index import by_status_effort_detail, dealings_of, read_index
from catalogue.reading.claims import is_foreign
from catalogue.reading.deal_list import listed
from catalogue.reading.references import digest_of, not_a_deal
from catalogue.schema import (
    BLOCK_SIZE,
    IMPORTED,
    MAX_STORED_SEED,
    BatchRow,
    BlockRow,
    DeadEndRow,
    DealingRow,
    DealRow,
    OutcomeRow,
    ProvenanceRow,
    RegretRow,
    RulesetRow,
    SolutionRow,
    SolverRow,
    same_outcome,
)
from catalogue.store import Catalogue
from engine.cards import parse_card
from engine.dealing.dealers import get_dealer, parse_deal_id
from engine.errors import BadInput
from engine.game import Deal as CardsOfDeal
from engine.game import Game
from engine.games import default_game, game_of, get_game
from engine.replay import wins
from engine.rulesets import parse_ruleset
from solvers import outcome as solved
from solvers.regret import RegretKind
from solvers.solver import Solver, parse_solver

# A deal is solved again when it is read if that should take no longer.
QUICK_SECONDS = 0.5
# Without any times, nodes that should take no longer.
QUICK_NODES = 10_000


@dataclass(frozen=True, slots=True)
class DealStatus:
    """The status of a deal under one ruleset.

    Attributes:
        ruleset: its slug.
        status: one of `STATUSES`.
        solvers: number of solvers with an outcome.
        wins: number of solvers that won.
        proofs: number of solvers that proved it unwinnable.
        nodes: nodes of the exact search that decided it, if one did.
        solution_length: moves of the shortest stored solution, if any.
        dead_end: kind of its dead-end classification, if any.
        harder_than: the share of the other deals decided by exact search under this ruleset that
            took fewer nodes, by classes (`catalogue.blocks`): those of its own class do not count
            as fewer. None if it was not decided by exact search. Nodes depend on the solver as well
            as on the deal.
    """

    ruleset: str
    status: str
    solvers: int
    wins: int
    proofs: int
    nodes: int | None
    solution_length: int | None
    dead_end: str | None
    harder_than: float | None

    @property
    def alarm(self) -> bool:
        """Both won and proved unwinnable."""
        return self.wins > 0 and self.proofs > 0


@dataclass(frozen=True, slots=True)
class LostGame:
    """A game that a player lost on a winnable deal.

    Attributes:
        moves: the moves played, packed.
        length: number of moves.
        kind: kind of regret.
        step: number of moves before the one after which no win was possible; of all moves if the
            player stopped although it could still win; where that is not decided, the number after
            which it could still win, as far as is known; otherwise None.
        reference: slug of the method that determined this.
        reference_version: its version.
    """

    moves: bytes
    length: int
    kind: RegretKind
    step: int | None
    reference: str
    reference_version: int


@dataclass(frozen=True, slots=True)
class DealOutcome:
    """The outcome of one solver on a deal.

    Attributes:
        ruleset: slug of the ruleset.
        solver: the solver as text, such as ``exact(nodes=1000000)``.
        version: of its method.
        result: one of `RESULTS`.
        nodes: positions entered, if known.
        cpu_ms: milliseconds of CPU time, if it was timed by itself.
        created_at: when it was stored, if that is known.
        provenance: the program and the machine that made it, if they are known.
        moves: the solution, packed, if won and at hand.
        length: its number of moves, if known.
        dead_end: the classification, if a dead-end test proved the result.
        lost: the game, if a player lost it and its regret has been determined.
        has_row: whether the outcome has a row, and its solution with it.
        remade: whether the deal has been solved again, since it has none.
        seconds: about how long solving it again takes, if it has not been done but can be.
        remark: why it cannot be solved again, or an alarm.
        alarm: whether solving it again contradicts what is stored.
        follows_from: the slug of the ruleset under which the solver has found it, if it follows
            from there; None if it was found under this one.
    """

    ruleset: str
    solver: str
    version: int
    result: str
    nodes: int | None
    cpu_ms: float | None
    created_at: datetime | None
    provenance: Provenance | None
    moves: bytes | None
    length: int | None
    dead_end: solved.DeadEnd | None
    lost: LostGame | None
    has_row: bool = True
    remade: bool = False
    seconds: float | None = None
    remark: str | None = None
    alarm: bool = False
    follows_from: str | None = None

    @property
    def by(self) -> str:
        """Who found it, with the version, or where it follows from, for people."""
        source = self.follows_from
        return f"{self.solver} v{self.version}" if source is None else f"follows from {source}"


@dataclass(frozen=True, slots=True)
class DealDetail:
    """Everything known about one deal.

    Attributes:
        deal: its permanent name, ``dealer:seed``, or the digest of an imported deal.
        game: its game.
        cards: the deal itself.
        dealer: slug of the dealer, or None.
        seed: seed, or None.
        stored: whether any outcome on it is; deals of dealers are found whether or not there is.
        statuses: one for each ruleset with an outcome, sorted by ruleset.
        outcomes: all of them, by ruleset and in the order in which they were stored.
    """

    deal: str
    game: Game
    cards: CardsOfDeal
    dealer: str | None
    seed: int | None
    stored: bool
    statuses: list[DealStatus]
    outcomes: list[DealOutcome]

    @property
    def digest(self) -> str:
        return self.cards.digest

    @property
    def alarm(self) -> bool:
        """Whether it is both won and proved unwinnable under some ruleset."""
        return any(status.alarm for status in self.statuses)

    def with_outcome(self, old: DealOutcome, new: DealOutcome) -> "DealDetail":
        """The same with another outcome in place of one, such as `remake` makes."""
        return replace(self, outcomes=[new if known is old else known for known in self.outcomes])

    def status(self, ruleset: str) -> DealStatus | None:
        """The status under a ruleset, if any."""
        return next((known for known in self.statuses if known.ruleset == ruleset), None)

    def best(self, ruleset: str) -> DealOutcome | None:
        """The win with the shortest solution that is at hand under a ruleset, if any."""
        won = [
            outcome
            for outcome in self.outcomes
            if outcome.ruleset == ruleset and outcome.moves is not None
        ]
        return min(won, key=lambda outcome: outcome.length or 0, default=None)


def deal_detail(
    cat: Catalogue, ref: str, game: Game | None = None, quick_seconds: float = QUICK_SECONDS
) -> DealDetail:
    """Read everything known about the deal with a name such as ``thoughtful-1:42`` or a digest.

    A deal of a dealer is found whether or not it is stored, a digest only among the deals that have
    rows.

    Args:
        cat: the catalogue.
        ref: the deal's name.
        game: the game of the deal, by default the default game; not needed with a digest.
        quick_seconds: how long solving it again may take, each solver by itself, where no solution
            is stored; 0 solves nothing.

    Raises:
        BadInput: no such deal: malformed text, unknown dealer or one that does not deal the game,
            seed out of range, or a digest that no stored deal has.
    """
    name = ref.strip()
    game = game or default_game()
    digest = digest_of(name)
    if digest is None and ":" not in name:
        raise not_a_deal(ref)
    with cat.session() as session:
        if digest is not None:
            row = _deal_with(session, digest)
            if row is None:
                raise BadInput(f"no deal in the catalogue has the digest {digest.hex()}")
            game, seed = get_game(row.game), row.seed
            dealer = None if row.dealer == IMPORTED else get_dealer(row.dealer)
        else:
            dealer, seed = parse_deal_id(name)
        if dealer is None:
            cards = game.deal(row.cards)
            detail = DealDetail(cards.digest, game, cards, None, None, True, [], [])
        else:
            cards, name = dealer.deal(seed, game), f"{dealer.slug}:{seed}"
            detail = DealDetail(name, game, cards, dealer.slug, seed, False, [], [])
        detail = _known(cat, session, detail, detail.dealer or IMPORTED, seed)
    return _remade(detail, quick_seconds)


def remake(detail: DealDetail, outcome: DealOutcome) -> DealOutcome:
    """Solve a deal again, where an outcome has no row.

    Raises:
        BadInput: this program does not have the solver in that version.
    """
    solver = _solver_of(outcome)
    deals = np.array([detail.cards.as_array()])
    (found,) = solver.solve(deals, parse_ruleset(outcome.ruleset))
    length = None if found.moves is None else detail.game.length(found.moves)
    same = (
        found.result.value == outcome.result
        and outcome.nodes in (None, found.nodes)
        and outcome.length in (None, length)
    )
    if not same:
        words = "" if length is None else f" and {length} moves"
        was = "" if outcome.nodes is None else f" with {outcome.nodes:,} nodes"
        was += "" if outcome.length is None else f" and {outcome.length} moves"
        return replace(
            outcome,
            seconds=None,
            alarm=True,
            remark=(
                f"{outcome.solver} version {outcome.version} now finds the deal "
                f"{found.result.value} with {found.nodes:,} nodes{words}, but its block has "
                f"{outcome.result}{was}"
            ),
        )
    return replace(
        outcome,
        nodes=found.nodes,
        moves=found.moves,
        length=length,
        dead_end=found.dead_end,
        remade=True,
        seconds=None,
    )


def _solver_of(outcome: DealOutcome) -> Solver:
    """The solver of an outcome, if this program has it in that version."""
    solver = parse_solver(outcome.solver)
    if solver.method.version != outcome.version:
        raise BadInput(
            f"it cannot be solved again by {outcome.solver} version {outcome.version}: "
            f"this program has version {solver.method.version}"
        )
    return solver


def _remade(detail: DealDetail, quick_seconds: float) -> DealDetail:
    """Solve a deal again for its outcomes without rows, if that is quick."""
    for outcome in detail.outcomes:
        if outcome.has_row or outcome.follows_from is not None:
            continue
        try:
            quick = outcome.seconds is not None and outcome.seconds <= quick_seconds
            new = remake(detail, outcome) if quick else replace(outcome)
            if not quick:
                _solver_of(outcome)
        except BadInput as error:
            new = replace(outcome, seconds=None, remark=str(error))
        detail = detail.with_outcome(outcome, new)
    return translated(detail)


def translated(detail: DealDetail) -> DealDetail:
    """The same with the solutions of wins that follow, where those of their sources are at hand.

    Raises:
        BadInput: this program does not have one of the rulesets, or the referee does not accept a
            solution of a source, translated.
    """
    for outcome in detail.outcomes:
        source = outcome.follows_from
        if source is None or outcome.result != solved.Result.WON or outcome.moves is not None:
            continue
        found = min(
            (o.moves for o in detail.outcomes if o.ruleset == source and o.moves is not None),
            key=len,
            default=None,
        )
        if found is not None:
            game, rules = detail.game, parse_ruleset(outcome.ruleset)
            moves = game.translated(detail.cards, found, parse_ruleset(source), rules)
            if not wins(game.start(detail.cards, rules), game.unpack(moves)):
                raise BadInput(f"the solution of {detail.deal} under {source} does not translate")
            new = replace(outcome, moves=moves, length=game.length(moves))
            detail = detail.with_outcome(outcome, new)
    return detail


def _deal_with(session: Session, digest: bytes) -> Any:
    """The deal with a digest; of deals with the same cards, one with a dealer goes first."""
    return session.execute(
        select(DealRow.seed, DealRow.cards, DealingRow.game, DealingRow.dealer)
        .join(DealingRow, DealingRow.id == DealRow.dealing_id)
        .where(DealRow.digest == digest)
        .order_by(DealingRow.dealer == IMPORTED, DealRow.id)
        .limit(1)
    ).first()


def _known(
    cat: Catalogue, session: Session, detail: DealDetail, dealer: str, seed: int
) -> DealDetail:
    """A deal with what the blocks and the rows of its dealing have of it."""
    game = detail.game
    dealing_id = session.scalar(
        select(DealingRow.id).where(DealingRow.game == game.slug, DealingRow.dealer == dealer)
    )
    if dealing_id is None or seed > MAX_STORED_SEED:
        return detail
    statuses = []
    block, place = divmod(seed, BLOCK_SIZE)
    for ruleset_id, slug in _rulesets(session, game):
        found = read_statuses(session, ruleset_id, dealing_id, block)
        at = place - found.first
        if 0 <= at < len(found) and found.status[at]:
            statuses.append(_status(cat, session, ruleset_id, slug, found, at))
    deal_id = session.scalar(
        select(DealRow.id).where(DealRow.dealing_id == dealing_id, DealRow.seed == seed)
    )
    outcomes = [] if deal_id is None else _outcomes_of(session, game, deal_id)
    rows = {(known.ruleset, known.solver, known.version) for known in outcomes}
    outcomes += [
        known
        for known in _of_blocks(session, dealing_id, block, seed)
        if (known.ruleset, known.solver, known.version) not in rows
    ]
    outcomes += [
        found
        for status in statuses
        if status.status in _SOURCES and not (status.wins or status.proofs)
        for found in _that_follows(outcomes, status.ruleset, _SOURCES[status.status])
    ]
    outcomes.sort(key=lambda o: (o.ruleset, o.created_at or _LONG_AGO, o.solver, o.version))
    stored = detail.stored or bool(statuses)
    return replace(detail, stored=stored, statuses=statuses, outcomes=outcomes)


# The result that decides a status, where it follows.
_SOURCES = {"winnable": "won", "unwinnable": "unwinnable"}


def _that_follows(
    outcomes: Sequence[DealOutcome], ruleset: str, result: str
) -> Iterator[DealOutcome]:
    """The outcome that follows under a ruleset, from the first of the others under which it is."""
    rules = parse_ruleset(ruleset)
    implies = game_of(rules).rulesets.implies
    for found in sorted(outcomes, key=lambda each: each.ruleset):
        source = parse_ruleset(found.ruleset)
        ways = {"won": (source, rules), "unwinnable": (rules, source)}
        claimed = result == "unwinnable" and is_foreign(found.solver)
        if found.result == result and not claimed and implies(*ways[result]):
            yield replace(
                found, ruleset=ruleset, follows_from=found.ruleset, has_row=False, nodes=None,
                cpu_ms=None, moves=None, length=None, dead_end=None, lost=None, seconds=None,
            )  # fmt: skip
            return


def _rulesets(session: Session, game: Game) -> list[tuple[int, str]]:
    rows = session.execute(
        select(RulesetRow.id, RulesetRow.slug)
        .where(RulesetRow.game == game.slug)
        .order_by(RulesetRow.slug)
    )
    return [(row.id, row.slug) for row in rows]


def _status(
    cat: Catalogue, session: Session, ruleset_id: int, slug: str, statuses: Statuses, at: int
) -> DealStatus:
    known = listed("", None, None, statuses, at)
    return DealStatus(
        slug,
        known.status,
        known.solvers,
        known.wins,
        known.proofs,
        known.nodes,
        known.solution_length,
        known.dead_end,
        _harder_than(cat, session, ruleset_id, known.nodes),
    )


def _harder_than(
    cat: Catalogue, session: Session, ruleset_id: int, nodes: int | None
) -> float | None:
    if nodes is None:
        return None
    decided = np.zeros(256, np.int64)
    for dealing_id, (_, state) in dealings_of(session, ruleset_id).items():
        index = read_index(cat, session, ruleset_id, dealing_id, state)
        totals = index.totals(np.ones(len(index), dtype=np.bool_))
        decided += by_status_effort_detail(totals).sum(axis=(0, 2))
    others = int(decided[1:].sum()) - 1
    fewer = int(decided[1 : int(effort_of(np.array([nodes]))[0])].sum())
    return fewer / others if others > 0 else None


def _outcomes_of(session: Session, game: Game, deal_id: int) -> list[DealOutcome]:
    """The outcomes of a deal that have rows."""
    rows = session.execute(
        select(
            RulesetRow.slug,
            SolverRow.name,
            SolverRow.version,
            OutcomeRow,
            BatchRow.created_at,
            ProvenanceRow,
            SolutionRow.moves,
            SolutionRow.length,
            DeadEndRow.kind,
            DeadEndRow.witness,
            RegretRow,
        )
        .select_from(OutcomeRow)
        .join(RulesetRow, RulesetRow.id == OutcomeRow.ruleset_id)
        .join(SolverRow, SolverRow.id == OutcomeRow.solver_id)
        .join(BatchRow, BatchRow.id == OutcomeRow.batch_id)
        .join(ProvenanceRow, ProvenanceRow.id == BatchRow.provenance_id)
        .outerjoin(SolutionRow, same_outcome(SolutionRow))
        .outerjoin(DeadEndRow, same_outcome(DeadEndRow))
        .outerjoin(RegretRow, same_outcome(RegretRow))
        .where(OutcomeRow.deal_id == deal_id)
        .order_by(RulesetRow.slug, BatchRow.created_at, SolverRow.name, SolverRow.version)
    ).all()
    return [
        DealOutcome(
            row.slug,
            row.name,
            row.version,
            row.OutcomeRow.result,
            row.OutcomeRow.nodes,
            None if row.OutcomeRow.cpu_us is None else row.OutcomeRow.cpu_us / 1000,
            row.created_at,
            _provenance(row.ProvenanceRow),
            None if row.moves is None else decompress(game.slug, row.moves),
            row.length,
            None
            if row.kind is None
            else solved.DeadEnd(row.kind, tuple(map(parse_card, row.witness.split()))),
            None if row.RegretRow is None else _lost(game, row.RegretRow),
        )
        for row in rows
    ]


def _of_blocks(session: Session, dealing_id: int, block: int, seed: int) -> list[DealOutcome]:
    """The outcomes of a deal that its blocks have."""
    found = []
    for row in session.execute(
        select(
            RulesetRow.slug,
            SolverRow.name,
            SolverRow.version,
            BlockRow.attempted,
            BlockRow.nodes,
            BlockRow.cpu_us,
            BlockRow.provenance,
            BlockRow.columns,
        )
        .join(RulesetRow, RulesetRow.id == BlockRow.ruleset_id)
        .join(SolverRow, SolverRow.id == BlockRow.solver_id)
        .where(
            BlockRow.dealing_id == dealing_id,
            BlockRow.ruleset_id.in_(select(RulesetRow.id)),
            BlockRow.block == block,
        )
    ):
        columns = Outcomes.decode(row.columns)
        at = seed - block * BLOCK_SIZE - columns.first
        if not (0 <= at < len(columns) and columns.result[at]):
            continue
        nodes, length, cpu_us = (
            int(each[at]) for each in (columns.nodes, columns.length, columns.cpu_us)
        )
        provenance_id, moment = _source(row.provenance, seed)
        provenance = None if provenance_id is None else session.get(ProvenanceRow, provenance_id)
        found.append(
            DealOutcome(
                row.slug,
                row.name,
                row.version,
                RESULTS[int(columns.result[at]) - 1],
                nodes if nodes >= 0 else None,
                cpu_us / 1000 if cpu_us >= 0 else None,
                moment,
                None if provenance is None else _provenance(provenance),
                None,
                length or None,
                None,
                None,
                has_row=False,
                seconds=cpu_us / 1e6 if cpu_us >= 0 else _seconds(nodes, row),
            )
        )
    return found


def _seconds(nodes: int, block: Any) -> float:
    """About how long a solver takes to enter a number of nodes, from its time for its block."""
    spent = nodes if nodes >= 0 else block.nodes / block.attempted
    if not block.cpu_us or not block.nodes:
        return 0.0 if spent <= QUICK_NODES else QUICK_SECONDS * spent / QUICK_NODES
    return float(spent * block.cpu_us / block.nodes / 1e6)


def _source(stored: list[Any], seed: int) -> tuple[int | None, datetime | None]:
    """Who made the outcome of a seed, and when.

    Seeds that were made together may have gaps, which others filled, so the shortest range that
    has the seed is meant, the last of them.
    """
    ranges = [each for each in stored if each[0] <= seed < each[0] + each[1]]
    if not ranges:
        return None, None
    _, _, provenance_id, moment = min(reversed(ranges), key=lambda each: each[1])
    when = datetime.fromisoformat(moment)
    return provenance_id, when if when.tzinfo else when.replace(tzinfo=UTC)


def _provenance(row: ProvenanceRow) -> Provenance | None:
    """The provenance of outcomes; None for those of earlier versions, which recorded none."""
    if not row.program:
        return None
    return Provenance(
        row.program, row.revision, row.python, row.numba, row.processor, row.machine, row.clock
    )


def _lost(game: Game, regret: RegretRow) -> LostGame:
    return LostGame(
        decompress(game.slug, regret.moves),
        regret.length,
        RegretKind(regret.kind),
        regret.step,
        regret.reference,
        regret.reference_version,
    )


_LONG_AGO = datetime.min.replace(tzinfo=UTC)
