"""Fixture of a catalogue with known contents, and the facts it was filled from."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import pytest

from catalogue import store
from catalogue.outcomes.chunk import Chunk, SolverKey
from catalogue.outcomes.writing import write_chunks
from engine.cards import make_card
from engine.dealing.dealers import get_dealer
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import pack_solution, parse_solution
from engine.klondike.rules import KlondikeRules
from engine.rulesets import parse_ruleset
from solvers.outcome import DeadEnd, Outcome, Result
from solvers.solver import parse_solver

EXACT = SolverKey("exact(nodes=100)", 1, "exact", (("nodes", 100),), grades=True)
EXACT_2 = SolverKey("exact(nodes=100)", 2, "exact", (("nodes", 100),), grades=True)
DEAD_END = SolverKey("dead-end", 1, "dead-end", ())
YAN = SolverKey("yan-heuristic", 1, "yan-heuristic", ())


def easy_deal(rng: np.random.Generator) -> KlondikeDeal:
    """A deal of draw 1 and draw 3 that plays straight up: columns 7 to 1, then the stock."""
    order = [make_card(rank, int(suit)) for rank in range(13) for suit in rng.permutation(4)]
    tableau: list[list[int]] = [[] for _ in range(7)]
    for column in reversed(range(7)):
        tableau[column] = order[column::-1]
        del order[: column + 1]
    return KlondikeDeal.from_piles(tableau, order)


def win_by_three(rng: np.random.Generator, detours: int) -> tuple[KlondikeDeal, bytes]:
    """An easy deal for draw 3 and its solution, which first goes round the stock some times."""
    deal = easy_deal(rng)
    stock = [card for k in range(0, 24, 3) for card in reversed(deal.stock[k : k + 3])]
    words = ["T T T T T T T T R"] * detours
    words += [f"{column}F" for column in range(7, 0, -1) for _ in range(column)]
    words += ["T WF WF WF"] * 8
    return KlondikeDeal.from_piles(deal.tableau, stock), solution(words)


def solution(words: list[str]) -> bytes:
    return pack_solution(parse_solution(" ".join(words)))


@dataclass(frozen=True)
class Fact:
    """One outcome that was written."""

    deal: str
    dealer: str | None
    seed: int | None
    ruleset: str
    solver: SolverKey
    outcome: Outcome


@dataclass
class Known:
    """A catalogue, all facts in it, and the cards of its deals by name."""

    catalogue: store.Catalogue
    facts: list[Fact] = field(default_factory=list)
    deals: dict[str, KlondikeDeal] = field(default_factory=dict)

    def of(self, ruleset: str) -> dict[str, list[Fact]]:
        """The facts of each deal under a ruleset."""
        found: dict[str, list[Fact]] = {}
        for fact in self.facts:
            if fact.ruleset == ruleset:
                found.setdefault(fact.deal, []).append(fact)
        return found

    def write(
        self,
        rules: KlondikeRules,
        dealer: str | None,
        deals: Sequence[tuple[int | None, KlondikeDeal, dict[SolverKey, Outcome]]],
    ) -> None:
        solvers = list(dict.fromkeys(solver for _, _, outcomes in deals for solver in outcomes))
        chunk = Chunk(
            rules,
            dealer,
            tuple(seed for seed, _, _ in deals if seed is not None),
            np.stack([deal.as_array() for _, deal, _ in deals]),
            tuple(
                (solver, tuple(outcomes.get(solver) for _, _, outcomes in deals))
                for solver in solvers
            ),
        )
        with self.catalogue.begin() as session:
            write_chunks(session, [chunk])
        for seed, deal, outcomes in deals:
            name = deal.digest if dealer is None else f"{dealer}:{seed}"
            self.deals[name] = deal
            self.facts += [
                Fact(name, dealer, seed, rules.slug, solver, outcome)
                for solver, outcome in outcomes.items()
            ]


def real_wins(rules: KlondikeRules, cards: np.ndarray) -> list[bytes | None]:
    """The solutions that the exact search finds for uint8[n, 52] deals; None if it proves none."""
    return [outcome.moves for outcome in parse_solver("exact").solve(cards, rules)]


def unwinnable(nodes: int, dead_end: DeadEnd | None = None) -> Outcome:
    return Outcome(Result.UNWINNABLE, nodes, nodes / 8, dead_end=dead_end)


def _fill(known: Known) -> None:
    """2,300 seeds of one dealer with gaps, some of another, imported deals, two contradictions."""
    rng = np.random.default_rng(20)
    draw3, draw1 = parse_ruleset("klondike-draw3"), parse_ruleset("klondike-draw1")
    dealt = get_dealer("thoughtful-1").deal_block(0, 2300)
    deals: list[tuple[int | None, KlondikeDeal, dict[SolverKey, Outcome]]] = []
    for seed in range(2300):
        deal = KlondikeDeal.of(dealt[seed])
        nodes = int(10 ** rng.uniform(0, 6))
        outcomes: dict[SolverKey, Outcome] = {}
        fate = rng.random()
        # Cards of dealt deals are not stored, so what is written as won must be a win of that deal.
        moves = None
        if fate < 0.15 or seed == 17:
            (moves,) = real_wins(draw3, dealt[seed : seed + 1])
        if fate < 0.15 and moves is not None:
            outcomes[EXACT] = Outcome(Result.WON, nodes, nodes / 8, moves)
            if rng.random() < 0.3:
                outcomes[YAN] = Outcome(Result.WON, 9, 1.5, moves)
        elif fate < 0.75:
            outcomes[EXACT] = unwinnable(nodes)
        else:
            outcomes[EXACT] = Outcome(Result.GAVE_UP, 100, 12.5)
        if seed < 1500 and YAN not in outcomes:
            outcomes[YAN] = Outcome(Result.LOST, 7, 0.25)
        if seed < 2000:
            proof = unwinnable(1, DeadEnd(["relaxed", "pair"][seed % 2], deal.cards[:2]))
            dead = 0.15 < fate < 0.3 or seed == 17
            outcomes[DEAD_END] = proof if dead else Outcome(Result.GAVE_UP, 1, 0.125)
        if seed == 17:  # proved dead above: a contradiction
            assert moves is not None
            outcomes[EXACT] = Outcome(Result.WON, nodes, nodes / 8, moves)
            outcomes.pop(YAN, None)
        if 2100 <= seed < 2150:
            outcomes.pop(EXACT)
        if seed % 400 == 0 and EXACT in outcomes:
            outcomes[EXACT_2] = outcomes[EXACT]
        if outcomes:
            deals.append((seed, deal, outcomes))
    for start in range(0, len(deals), 330):
        known.write(draw3, "thoughtful-1", deals[start : start + 330])

    few = get_dealer("solvitaire").deal_block(1, 60)
    known.write(
        draw3,
        "solvitaire",
        [(k + 1, KlondikeDeal.of(few[k]), {EXACT: unwinnable(k + 1)}) for k in range(60)],
    )
    other = []
    dealt = get_dealer("thoughtful-1").deal_block(3000, 120)
    for seed, cards, moves in zip(range(3000, 3120), dealt, real_wins(draw1, dealt), strict=True):
        outcome = unwinnable(seed)
        if seed % 3 and moves is not None:
            outcome = Outcome(Result.WON, seed, 3.0, moves)
        other.append((seed, KlondikeDeal.of(cards), {EXACT: outcome}))
    known.write(draw1, "thoughtful-1", other)
    by_hand: list[tuple[int | None, KlondikeDeal, dict[SolverKey, Outcome]]] = []
    for number in range(9):
        deal, moves = win_by_three(rng, 0)
        outcomes = {EXACT: Outcome(Result.GAVE_UP, 100, 12.5)}
        if number < 4:
            outcomes = {EXACT: Outcome(Result.WON, 60 + number, 1.0, moves)}
        if number in (3, 4):
            outcomes[DEAD_END] = unwinnable(1, DeadEnd("pair", deal.cards[2:7]))
        by_hand.append((None, deal, outcomes))
    known.write(draw3, None, by_hand)


@contextmanager
def _filled(url: str) -> Iterator[Known]:
    with store.open_catalogue(url) as catalogue:
        filled = Known(catalogue)
        _fill(filled)
        yield filled


@pytest.fixture(scope="session")
def known_sqlite(new_database: Callable[..., str]) -> Iterator[Known]:
    """The filled catalogue on SQLite."""
    with _filled(new_database("sqlite")) as filled:
        yield filled


@pytest.fixture(scope="session")
def known_postgresql(new_database: Callable[..., str]) -> Iterator[Known]:
    """The filled catalogue on PostgreSQL."""
    with _filled(new_database("postgresql")) as filled:
        yield filled


@pytest.fixture
def known(backend: str, request: pytest.FixtureRequest) -> Known:
    """The filled catalogue, on each kind of database, for tests that only read.

    Each is filled once: of a fixture with parameters, pytest keeps only the last one.
    """
    filled: Known = request.getfixturevalue(f"known_{backend}")
    return filled


@pytest.fixture
def known_type() -> type[Known]:
    """To keep the facts written to a catalogue of one's own: `known_type(catalogue)`."""
    return Known


@pytest.fixture
def solver_keys() -> dict[str, SolverKey]:
    """The solvers of the filled catalogue by their method, in its first version."""
    return {solver.method: solver for solver in (EXACT, DEAD_END, YAN)}


@pytest.fixture
def easy_win() -> Callable[[int], tuple[KlondikeDeal, bytes]]:
    """Make a deal of draw 3 with its solution from a number."""
    return lambda number: win_by_three(np.random.default_rng(number), number % 3)
