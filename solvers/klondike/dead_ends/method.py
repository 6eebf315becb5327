"""`dead-end`: cheap tests that prove starting deals unwinnable.

Three tests, each tried where those before it find nothing: two of Bjarnason, Tadepalli, Fern
(2007), *Searching Solitaire in Real Time*, section 4.1, and one of our own. The proofs are in
`engine.klondike.dead_ends`, which also checks and explains the witnesses.

**relaxed**: the delete relaxation of the K+ game. Once a card is available to be moved or built
upon it stays so; the deal is dead if the game so relaxed cannot bring all 52 cards to the
foundations. The paper does not say how the stock is relaxed. Here the stock cards that K+ reaches
at the start are available at the start, and further ones become so as cards are taken (a card may
come within reach when any number of those before it have been taken, or the one drawn right after
it): this is K+ without its delete effects. Treating all 24 stock cards as available from the start
is sound too, and finds half as many dead ends.

**pair**: the secondary pattern, two cards of the same colour and rank in one column over what both
need: all of it below the lower of the two, as in the paper's Figure 8b. The paper's sentence, taken
with its definition of blocking, is wider: it is enough that each of the two has a lower card of its
suit below itself and that one of the cards to build on lies below the upper. With it the two tests
find 8.56 % of deals, the published share; but what lies between the two can be freed, and `exact`
wins most of the deals that only the wider pattern rejects (`benchmarks/dead_ends.py --decide`).
The pattern that is a proof finds 8.40 %.

**conflict**: some cards that cannot all go up even if all others are wherever they are wanted. The
search is that of `solvers.klondike.dead_ends.pair_reachability`, which computes pairs of facts
where the relaxed test computes single ones, and takes a hundred times as long. The published share
does not include it.

All are proofs under the widest rules of what moves and returns, so that only the number of cards
drawn at once matters, and what may be built on what or go to empty columns: the first test is made
for every ruleset, the others where colours alternate and no cards but kings go to empty columns. A
deal that no test finds dead may still be unwinnable: its outcome is
``gave_up``, which proves nothing.
"""

# Kernels carry no annotations; everything else here is typed.
# mypy: allow-untyped-defs, allow-untyped-calls, no-check-untyped-defs

import numpy as np
from numpy.typing import NDArray

from engine.cardset import ALL, BIT_OF_CARD
from engine.kernels.compiling import solving_time_ns
from engine.kernels.decorators import kernel
from engine.klondike.dead_ends import KINDS, check_witness, explain_witness, holds
from engine.klondike.deal import KlondikeDeal
from engine.klondike.rules import BUILDINGS, SPACES, KlondikeRules
from solvers.klondike.dead_ends.pair_reachability import loses, new_work, shrink
from solvers.method import Method, Values
from solvers.outcome import DeadEnd, Outcome, Result

# The number of a kind in kernels is its index here; 0 is a deal that no test finds dead.
KIND_NAMES = ("", *KINDS)
_RELAXED = KIND_NAMES.index("relaxed")
_PAIR = KIND_NAMES.index("pair")
_CONFLICT = KIND_NAMES.index("conflict")

_ALTERNATING, _ANY_SUIT, _SAME_SUIT = map(BUILDINGS.index, ("alternating", "any-suit", "same-suit"))
_KINGS_ALONE, _ANY = map(SPACES.index, ("kings", "any"))

_WIDEST = KlondikeRules()

# Sets of cards are int64: bit c is card c. A hexadecimal digit is a rank, aces in the lowest; its
# bits 1 and 4 are the black suits, 2 and 8 the red ones.
_ALL = (1 << 52) - 1
_KINGS = 0xF << 48
_CLUBS = 0x1111111111111
_SPADES = 0x4444444444444
_DIAMONDS = 0x2222222222222
_HEARTS = 0x8888888888888


def classify(deal: KlondikeDeal, rules: KlondikeRules = _WIDEST) -> DeadEnd | None:
    """Classify a deal: a dead end with a small witness, or None if no test finds one."""
    return _classify_row(deal.as_array(), rules)


def classify_block(cards: NDArray[np.uint8], rules: KlondikeRules = _WIDEST) -> NDArray[np.uint8]:
    """Classify deals uint8[n, 52] in flat order: uint8[n], indices of `KIND_NAMES`."""
    return _classify_all(np.ascontiguousarray(cards), rules)[0]


def explain(dead_end: DeadEnd, deal: KlondikeDeal, rules: KlondikeRules = _WIDEST) -> str:
    """Explain to a person looking at the cards why the deal cannot be won.

    Raises:
        BadInput: the dead end has an unknown kind or proves nothing about this deal.
    """
    return explain_witness(deal, rules, dead_end.kind, dead_end.witness)


def is_proof(dead_end: DeadEnd, deal: KlondikeDeal, rules: KlondikeRules = _WIDEST) -> bool:
    """Whether the slow checker accepts the witness of a dead end for a deal.

    Raises:
        BadInput: the dead end has an unknown kind.
    """
    return check_witness(deal, rules, dead_end.kind, dead_end.witness)


def shows_pair(cards: NDArray[np.uint8]) -> bool:
    """Whether a deal, uint8[52] in flat order, is a dead end of kind pair."""
    return bool(_find_pair(cards, np.zeros(5, dtype=np.uint8)))


def _options(rules: KlondikeRules) -> tuple[int, int, int]:
    """The rules as the tests need them: see `_standstill`."""
    return rules.draw, BUILDINGS.index(rules.building), SPACES.index(rules.spaces)


def _classify_all(
    cards: NDArray[np.uint8], rules: KlondikeRules
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    kinds = np.zeros(len(cards), dtype=np.uint8)
    rounds = np.zeros(len(cards), dtype=np.int64)
    _classify_block(cards, _options(rules), kinds, rounds, new_work())
    return kinds, rounds


def _classify_row(cards: NDArray[np.uint8], rules: KlondikeRules) -> DeadEnd | None:
    options = _options(rules)
    stuck, _ = _standstill(cards, options, _ALL)
    if stuck:
        stuck = int(_shrink(cards, options, stuck))
        witness = tuple(int(card) for card in cards if stuck >> int(card) & 1)
        return DeadEnd("relaxed", witness)
    if not holds("pair", rules):
        return None
    pair = np.zeros(5, dtype=np.uint8)
    if _find_pair(cards, pair):
        return DeadEnd("pair", tuple(int(card) for card in pair))
    work = new_work()
    if loses(cards, rules.draw, ALL, work):
        kept = int(shrink(cards, rules.draw, work))
        witness = tuple(int(card) for card in cards if kept >> int(BIT_OF_CARD[card]) & 1)
        return DeadEnd("conflict", witness)
    return None


def _solve(deals: NDArray[np.uint8], rules: KlondikeRules, values: Values) -> list[Outcome]:
    kinds, rounds, work = np.zeros(1, dtype=np.uint8), np.zeros(1, dtype=np.int64), new_work()
    outcomes = []
    for row in range(len(deals)):
        # Each deal by itself, so that its CPU time is its own.
        since = solving_time_ns()
        kinds[0] = 0
        _classify_block(deals[row : row + 1], _options(rules), kinds, rounds, work)
        dead_end = _classify_row(deals[row], rules) if kinds[0] else None
        result = Result.GAVE_UP if dead_end is None else Result.UNWINNABLE
        cpu_ms = (solving_time_ns() - since) / 1e6
        outcomes.append(Outcome(result, nodes=int(rounds[0]), cpu_ms=cpu_ms, dead_end=dead_end))
    return outcomes


METHOD = Method(
    slug="dead-end",
    version=2,
    summary="Three tests that prove a starting deal unwinnable; nodes are rounds of the first",
    game="klondike",
    sees="deal",
    source="Bjarnason, Tadepalli, Fern 2007, section 4.1",
    parameters=(),
    rulesets="every Klondike ruleset",
    plays=lambda rules: isinstance(rules, KlondikeRules),
    chunk=4_000,
    solve=_solve,
    explains=True,
)


@kernel
def _classify_block(cards, options, kinds, rounds, work):
    """Classify uint8[n, 52]; writes kinds uint8[n] and rounds of the relaxed test int64[n]."""
    pair = np.zeros(5, dtype=np.uint8)
    draw, building, spaces = options
    for row in range(cards.shape[0]):
        stuck, rounds[row] = _standstill(cards[row], options, _ALL)
        if stuck:
            kinds[row] = _RELAXED
        elif building != _ALTERNATING or spaces == _ANY:
            continue
        elif _find_pair(cards[row], pair):
            kinds[row] = _PAIR
        elif loses(cards[row], draw, ALL, work):
            kinds[row] = _CONFLICT


@kernel
def _built_on(bases, building):
    """The set of cards that can be built on a card of the set."""
    lower = bases >> 4
    if building == _SAME_SUIT:
        return lower
    if building == _ANY_SUIT:
        lower |= (lower & (_CLUBS << 1)) >> 1 | (lower & (_CLUBS << 2)) >> 2 | lower >> 3
        return (lower & _CLUBS) * 15
    black = ((lower & _DIAMONDS) >> 1) | ((lower & _HEARTS) >> 3)
    red = ((lower & _CLUBS) << 1) | ((lower & _SPADES) >> 1)
    return black | (black << 2) | red | (red << 2)


@kernel
def _standstill(cards, options, stuck):
    """The largest subset of `stuck` that is a witness of kind relaxed, and the rounds it took.

    From the set of all cards this is the complement of the relaxed game: each round removes every
    card that can leave when those removed before are everywhere they could be, and the cards left
    at the end are those that the relaxed game never moves. The result is the largest because a card
    that cannot leave with respect to a set cannot leave with respect to a larger one.

    Args:
        cards: uint8[52], a deal in flat order.
        options: stock cards turned at once; indices of `BUILDINGS` and `SPACES`.
        stuck: set of cards.
    """
    draw, building, spaces = options
    filling = 0  # the cards that may go to an empty column
    if spaces == _ANY:
        filling = _ALL
    elif spaces == _KINGS_ALONE:
        filling = _KINGS
    rounds = 0
    while stuck != 0:
        rounds += 1
        # Tableau: cards under a card of the set are covered, the others can be built upon.
        covered = 0
        bases = 0
        fillers = 0
        first = 0
        for column in range(7):
            holding = False
            for place in range(first + column, first - 1, -1):
                card = 1 << np.int64(cards[place])
                if holding:
                    covered |= card
                else:
                    bases |= card
                    holding = stuck & card != 0
            if not holding:
                fillers = filling
            first += column + 1

        # Stock: the cards that can come to the top of the waste, and those that can be taken.
        stock = 0
        taken = 0
        reached = 0
        grew = True
        while grew:
            grew = False
            before = 0
            for j in range(24):
                card = 1 << np.int64(cards[28 + j])
                stock |= card
                if taken & card:
                    before += 1
                elif reached & card == 0 and (
                    j == 23
                    or taken & (1 << np.int64(cards[29 + j])) != 0
                    or before >= (j + 1) % draw
                ):
                    reached |= card
                    if stuck & card == 0:
                        taken |= card
                        before += 1
                        grew = True

        placed = 0
        built = _built_on(bases, building) | fillers
        while taken & built != placed:
            placed = taken & built
            built = _built_on(bases | placed, building) | fillers

        # Every card above an immobile one of its suit waits for it.
        immobile = stuck | covered | (stock & ~reached)
        waiting = (immobile << 4) & _ALL
        waiting |= (waiting << 4) & _ALL
        waiting |= (waiting << 8) & _ALL
        waiting |= (waiting << 16) & _ALL
        waiting |= (waiting << 32) & _ALL

        leaving = stuck & (bases | reached) & (built | ~waiting)
        if leaving == 0:
            break
        stuck &= ~leaving
    return stuck, rounds


@kernel
def _shrink(cards, options, stuck):
    """A minimal witness within the witness `stuck`: no proper subset of it is one.

    Stock cards are removed first, then each column from the bottom: the most readable witness has a
    few cards that lie open early.
    """
    for step in range(52):
        card = 1 << np.int64(cards[(28 + step) % 52])
        if stuck & card:
            smaller, _ = _standstill(cards, options, stuck & ~card)
            if smaller != 0:
                stuck = smaller
    return stuck


@kernel
def _find_pair(cards, pair):
    """Whether a deal uint8[52] has the pair pattern; writes a, b, x, y, p to pair uint8[5]."""
    first = 0
    for column in range(7):
        for upper in range(first + column, first, -1):
            a = np.int64(cards[upper])
            for lower in range(upper - 1, first - 1, -1):
                b = np.int64(cards[lower])
                if a ^ b != 2:
                    continue
                x = -1
                y = -1
                p = -1
                for place in range(first, lower):
                    card = np.int64(cards[place])
                    if card < a and (card ^ a) & 3 == 0:
                        x = card
                    elif card < b and (card ^ b) & 3 == 0:
                        y = card
                    elif card >> 2 == (a >> 2) + 1 and (card ^ a) & 1 == 1:
                        p = card
                if x >= 0 and y >= 0 and p >= 0:
                    pair[0] = a
                    pair[1] = b
                    pair[2] = x
                    pair[3] = y
                    pair[4] = p
                    return True
        first += column + 1
    return False
