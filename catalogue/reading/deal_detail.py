"""Reading everything known about one deal."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalogue.reading.references import digest_of, not_a_deal, reference
from catalogue.schema import (
    MAX_STORED_SEED,
    DeadEndRow,
    DealRow,
    OutcomeRow,
    RegretRow,
    RulesetRow,
    SolutionRow,
    SolverRow,
    StatusRow,
    same_outcome,
)
from catalogue.store import Catalogue
from engine.cards import parse_card
from engine.dealing.dealers import parse_deal_id
from engine.errors import BadInput
from engine.game import Deal as CardsOfDeal
from engine.game import Game
from engine.games import default_game, get_game
from solvers import outcome as solved
from solvers.regret import RegretKind


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
            took fewer nodes; None if it was not decided by exact search. Nodes depend on the
            solver as well as on the deal.
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
            player stopped although it could still win; otherwise None.
        judge: slug of the method that determined this.
        judge_version: its version.
    """

    moves: bytes
    length: int
    kind: RegretKind
    step: int | None
    judge: str
    judge_version: int


@dataclass(frozen=True, slots=True)
class DealOutcome:
    """The outcome of one solver on a deal.

    Attributes:
        ruleset: slug of the ruleset.
        solver: the solver as text, such as ``exact(nodes=1000000)``.
        version: of its method.
        result: one of `RESULTS`.
        nodes: positions entered.
        cpu_ms: milliseconds of CPU time.
        created_at: when it was stored.
        moves: the solution, packed, if won.
        length: its number of moves.
        dead_end: the classification, if a dead-end test proved the result.
        lost: the game, if a player lost it and its regret has been determined.
    """

    ruleset: str
    solver: str
    version: int
    result: str
    nodes: int
    cpu_ms: float
    created_at: datetime
    moves: bytes | None
    length: int | None
    dead_end: solved.DeadEnd | None
    lost: LostGame | None


@dataclass(frozen=True, slots=True)
class DealDetail:
    """Everything known about one deal.

    Attributes:
        deal: its permanent name, ``dealer:seed``, or the digest of an imported deal.
        game: its game.
        cards: the deal itself.
        dealer: slug of the dealer, or None.
        seed: seed, or None.
        stored: whether it is in the catalogue; deals of dealers are found whether or not they are.
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

    def status(self, ruleset: str) -> DealStatus | None:
        """The status under a ruleset, if any."""
        return next((known for known in self.statuses if known.ruleset == ruleset), None)

    def best(self, ruleset: str) -> DealOutcome | None:
        """The win with the shortest stored solution under a ruleset, if any."""
        won = [
            outcome
            for outcome in self.outcomes
            if outcome.ruleset == ruleset and outcome.length is not None
        ]
        return min(won, key=lambda outcome: outcome.length or 0, default=None)


def deal_detail(cat: Catalogue, ref: str, game: Game | None = None) -> DealDetail:
    """Read everything known about the deal with a name such as ``thoughtful-1:42`` or a digest.

    A deal of a dealer is found whether or not it is stored, a digest only among stored deals.

    Args:
        cat: the catalogue.
        ref: the deal's name.
        game: the game of the deal, by default the default game; not needed with a digest.

    Raises:
        BadInput: no such deal: malformed text, unknown dealer or one that does not deal the game,
            seed out of range, or a digest that no stored deal has.
    """
    name = ref.strip()
    game = game or default_game()
    digest = digest_of(name)
    if digest is not None:
        where = DealRow.digest == digest
        dealt = None
    elif ":" in name:
        dealer, seed = parse_deal_id(name)
        where = (
            (DealRow.game == game.slug) & (DealRow.dealer == dealer.slug) & (DealRow.seed == seed)
        )
        dealt = DealDetail(
            reference(dealer.slug, seed, ""),
            game,
            dealer.deal(seed, game),
            dealer.slug,
            seed,
            False,
            [],
            [],
        )
        if seed > MAX_STORED_SEED:
            return dealt
    else:
        raise not_a_deal(ref)
    with cat.session() as session:
        # Of deals with the same cards, one with a dealer takes precedence.
        deal = session.scalars(
            select(DealRow).where(where).order_by(DealRow.dealer.is_(None), DealRow.id).limit(1)
        ).first()
        if deal is None:
            if dealt is None:
                raise BadInput(f"no deal in the catalogue has the digest {digest}")
            return dealt
        found = get_game(deal.game)
        return DealDetail(
            reference(deal.dealer, deal.seed, deal.digest),
            found,
            found.deal(deal.cards),
            deal.dealer,
            deal.seed,
            True,
            _statuses_of(session, deal.id),
            _outcomes_of(session, deal.id),
        )


def _statuses_of(session: Session, deal_id: int) -> list[DealStatus]:
    rows = session.execute(
        select(RulesetRow.slug, StatusRow)
        .join(StatusRow, StatusRow.ruleset_id == RulesetRow.id)
        .where(StatusRow.deal_id == deal_id)
        .order_by(RulesetRow.slug)
    ).all()
    return [
        DealStatus(
            slug,
            status.status,
            status.solvers,
            status.wins,
            status.proofs,
            status.nodes,
            status.solution_length,
            status.dead_end,
            _harder_than(session, status),
        )
        for slug, status in rows
    ]


def _harder_than(session: Session, status: StatusRow) -> float | None:
    if status.nodes is None:
        return None
    decided = (
        select(func.count())
        .select_from(StatusRow)
        .where(StatusRow.ruleset_id == status.ruleset_id, StatusRow.nodes.is_not(None))
    )
    others = (session.scalar(decided) or 0) - 1
    fewer = session.scalar(decided.where(StatusRow.nodes < status.nodes)) or 0
    return fewer / others if others > 0 else None


def _outcomes_of(session: Session, deal_id: int) -> list[DealOutcome]:
    rows = session.execute(
        select(
            RulesetRow.slug,
            SolverRow.name,
            SolverRow.version,
            OutcomeRow,
            SolutionRow.moves,
            SolutionRow.length,
            DeadEndRow.kind,
            DeadEndRow.witness,
            RegretRow,
        )
        .select_from(OutcomeRow)
        .join(RulesetRow, RulesetRow.id == OutcomeRow.ruleset_id)
        .join(SolverRow, SolverRow.id == OutcomeRow.solver_id)
        .outerjoin(SolutionRow, same_outcome(SolutionRow))
        .outerjoin(DeadEndRow, same_outcome(DeadEndRow))
        .outerjoin(RegretRow, same_outcome(RegretRow))
        .where(OutcomeRow.deal_id == deal_id)
        .order_by(RulesetRow.slug, OutcomeRow.created_at, SolverRow.name, SolverRow.version)
    ).all()
    return [
        DealOutcome(
            row.slug,
            row.name,
            row.version,
            row.OutcomeRow.result,
            row.OutcomeRow.nodes,
            row.OutcomeRow.cpu_ms,
            row.OutcomeRow.created_at,
            row.moves,
            row.length,
            None
            if row.kind is None
            else solved.DeadEnd(row.kind, tuple(map(parse_card, row.witness.split()))),
            None if row.RegretRow is None else _lost(row.RegretRow),
        )
        for row in rows
    ]


def _lost(regret: RegretRow) -> LostGame:
    return LostGame(
        regret.moves,
        regret.length,
        RegretKind(regret.kind),
        regret.step,
        regret.judge,
        regret.judge_version,
    )
