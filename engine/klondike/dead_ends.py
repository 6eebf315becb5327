"""Checker and explanations of dead ends: proofs, from the rules, that a deal cannot be won.

A *classification* is a kind and a witness, which is a few cards. The checker decides whether a
witness of any origin proves the deal unwinnable; it shares no code with the compiled search for
witnesses in `solvers.klondike.dead_ends.method`.

**Rules.** All proofs hold for the widest rules: any face-up run may move, cards may return from the
foundations, redeals are unlimited. Every move of a stricter ruleset with the same number of cards
drawn at once is also a move of these, so a deal that is dead here is dead there. Kind `relaxed`
asks what may be built on what and what may go to an empty column, so it holds for every ruleset.
Kinds `pair` and `conflict` need alternating colours, which leave a card two places but for an
empty column, and hold where only kings go to empty columns, or no cards; elsewhere they prove
nothing (`holds`).

**Kind `relaxed`** (Bjarnason, Tadepalli, Fern 2007, section 4.1, first test). The witness is a set
S of cards none of which can be the first to leave the place where it was dealt, in a column or in
the stock. Suppose no card of S has left yet. Then

- a tableau card under a card of S has not moved either (it is *covered*), and it is face down;
- a column without a card of S may have become empty, the others have not;
- a stock card that is not in S may have been taken if it could come to the top of the waste. With
  `draw` cards turned at once, the card at place j of 0, 1, 2 … can do so only if it is the last of
  the stock; or the card drawn right after it may have been taken; or at least (j + 1) mod draw
  of the cards before it may have been taken, so that it can come last in a group of `draw`.
  Stock cards that this never reaches are *out of reach*;
- no foundation of a suit reaches a card of S, a covered card or one out of reach, nor any higher
  card of that suit;
- a card can lie in the tableau with nothing on it only if it was dealt there and is not covered,
  or if it came from the stock and could be laid down: one that may go to an empty column when some
  column can be empty, any when a card that it can be built on can lie so itself.

All this grants more than play allows (every card may be in all its possible places at once), so
whatever it excludes is excluded in play. The witness holds if it excludes every way out for every
card of S: then none is ever the first to leave, none ever reaches a foundation, and the deal is
lost. The largest such set is what the delete relaxation of the K+ game leaves unreached; one
exists if and only if the relaxed game has no solution.

**Kind `pair`** (the same section, the secondary pattern). The witness is (a, b, x, y, p): a and b
have the same colour and rank, a lies above b in one column, and below b lie x of a's suit and y of
b's suit, both of lower rank than a and b, and p, one of the two cards that a and b can be built on.
Let q be the other. Claim: b never leaves its place. Suppose it does, and look at the first time.

- Until then all cards below b are where they were dealt, face down: x and y are on no foundation,
  so neither a nor b can ever have been on one; nothing can have been built on p.
- Nothing is face up below a card that is face down, and b turns face up only when all cards above
  it have left; so a has left before. Having no foundation and no p to go to, a went onto q, which
  was in the tableau then. (The rank is not king: a king can be built on nothing, so there would be
  no p. What lies between a and b plays no part.)
- From then on a lies on q: the only other places that would take it are its foundation and p. So
  q has a on it whenever it moves, is never the uppermost card of a column, and is on no foundation.
- So when b leaves, it cannot go onto q, onto p or to its foundation: it has nowhere to go.

So b stays, y under it never reaches its foundation, and the deal is lost.

**Kind `conflict`**. The witness is a set of cards that cannot all go up even if every other card is
wherever it is wanted and never in the way. `engine.klondike.thinned_game` defines this and proves
that the deal is lost; `engine.klondike.conflicts` is the checker.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from engine.cards import DECK, build_cards, card_name, rank, suit, twin
from engine.errors import BadInput
from engine.game import DeadEnds
from engine.klondike import conflicts
from engine.klondike.deal import KlondikeDeal
from engine.klondike.rules import KlondikeRules

# The kinds in the order in which they are tried, each with its name for people.
KINDS: Mapping[str, str] = MappingProxyType(
    {
        "relaxed": "cards that wait for each other",
        "pair": "two like cards over what both of them need",
        "conflict": "cards that get in each other's way",
    }
)


def holds(kind: str, rules: KlondikeRules) -> bool:
    """Whether a kind of dead end is a proof under a ruleset, see the module docstring."""
    return kind == "relaxed" or (rules.building == "alternating" and rules.spaces != "any")


def check_witness(
    deal: KlondikeDeal, rules: KlondikeRules, kind: str, witness: Sequence[int]
) -> bool:
    """Whether a witness proves that a deal cannot be won under the rules.

    Args:
        deal: the starting deal.
        rules: what may be built on what, what may go to an empty column and the number of cards
            drawn at once matter, see the module docstring.
        kind: a key of `KINDS`.
        witness: cards; their order matters for ``pair`` only.

    Raises:
        BadInput: there is no such kind.
    """
    _check_kind(kind)
    if not holds(kind, rules) or not _are_cards(deal, witness):
        return False
    if kind == "pair":
        return _check_pair(deal, witness)
    if kind == "conflict":
        return conflicts.proves_loss(deal, rules.draw, witness)
    hold = _Standstill(deal, rules, witness)
    return not any(hold.can_leave(card) for card in witness)


def explain_witness(
    deal: KlondikeDeal, rules: KlondikeRules, kind: str, witness: Sequence[int]
) -> str:
    """Explain to a person looking at the cards why the deal cannot be won.

    Raises:
        BadInput: there is no such kind, or the witness proves nothing.
    """
    _check_kind(kind)
    explained = None
    if kind == "conflict":
        # An explanation takes as long as a check.
        if holds(kind, rules) and _are_cards(deal, witness):
            explained = conflicts.explain(deal, rules.draw, witness)
    elif check_witness(deal, rules, kind, witness):
        if kind == "pair":
            explained = _explain_pair(deal, witness)
        else:
            explained = _explain_relaxed(deal, rules, witness)
    if explained is None:
        cards = " ".join(card_name(card) if card in DECK else str(card) for card in witness)
        raise BadInput(f"the cards {cards} are not a dead end of kind {kind!r} in this deal")
    return explained


def needed_cards(
    deal: KlondikeDeal, rules: KlondikeRules, kind: str, witness: Sequence[int]
) -> tuple[int, ...]:
    """The other cards of the explanation: those that the cards of the witness wait for.

    Raises:
        BadInput: there is no such kind.
    """
    _check_kind(kind)
    if kind == "pair":
        a, _, _, _, p = witness
        return tuple(card for card in build_cards(a) if card != p)
    if kind == "conflict":
        return ()
    hold = _Standstill(deal, rules, witness)
    needed = {card for stuck in witness for card in (*rules.hosts(stuck), hold.lower_card(stuck))}
    return tuple(sorted(card for card in needed - set(witness) if card is not None))


def _check_kind(kind: str) -> None:
    if kind not in KINDS:
        raise BadInput(f"unknown kind of dead end {kind!r}: expected one of {', '.join(KINDS)}")


def _are_cards(deal: KlondikeDeal, witness: Sequence[int]) -> bool:
    """Whether they are one or more different cards."""
    return 0 < len(witness) == len(set(witness)) and set(witness) <= set(deal.cards)


def _check_pair(deal: KlondikeDeal, witness: Sequence[int]) -> bool:
    if len(witness) != 5:
        return False
    a, b, x, y, p = witness
    for column in deal.tableau:
        if a in column and b in column:
            below = column[: column.index(b)]
            return (
                column.index(b) < column.index(a)
                and b == twin(a)
                and all(card in below for card in (x, y, p))
                and (suit(x) == suit(a) and rank(x) < rank(a))
                and (suit(y) == suit(b) and rank(y) < rank(b))
                and p in build_cards(a)
            )
    return False


def _explain_pair(deal: KlondikeDeal, witness: Sequence[int]) -> str:
    a, b, x, y, p = witness
    column = next(k for k, cards in enumerate(deal.tableau, start=1) if a in cards)
    q = next(card for card in build_cards(a) if card != p)
    a_, b_, x_, y_, p_, q_ = (card_name(card) for card in (a, b, x, y, p, q))
    return (
        f"{a_} lies above {b_} in column {column}, and {x_}, {y_} and {p_} lie under both: "
        f"neither of the two can go to the foundation before {b_} has left, "
        f"and {q_} is the only card left to build them on. "
        f"Once {a_} lies on {q_}, {b_} has nowhere to go."
    )


def _explain_relaxed(deal: KlondikeDeal, rules: KlondikeRules, witness: Sequence[int]) -> str:
    hold = _Standstill(deal, rules, witness)
    sentences = [hold.explain(card) for card in witness]
    if len(witness) > 1:
        sentences.insert(
            0, f"{_names(witness)} wait for each other: none of them can be the first to leave."
        )
    return " ".join(sentences)


class _Standstill:
    """The relaxed reachability of cards while no card of a set has left its place."""

    def __init__(self, deal: KlondikeDeal, rules: KlondikeRules, stuck: Sequence[int]) -> None:
        self.rules = rules
        self.stuck = frozenset(stuck)
        self.column = {card: k for k, cards in enumerate(deal.tableau) for card in cards}
        # Covered card -> the card of the set nearest above it.
        self.cover: dict[int, int] = {}
        self.emptiable = False
        for column in deal.tableau:
            holder: int | None = None
            for card in reversed(column):
                if holder is not None:
                    self.cover[card] = holder
                if card in self.stuck:
                    holder = card
            if holder is None:
                self.emptiable = True
        self.taken, self.reached = self._take(deal.stock, rules.draw)
        self.open = self._open_cards()

    def _take(self, stock: tuple[int, ...], draw: int) -> tuple[set[int], set[int]]:
        """The stock cards that may have been taken, and those that may become playable."""
        taken: set[int] = set()
        reached: set[int] = set()
        grew = True
        while grew:
            grew = False
            for place, card in enumerate(stock):
                if card in reached:
                    continue
                before = sum(1 for earlier in stock[:place] if earlier in taken)
                if (
                    place == len(stock) - 1
                    or stock[place + 1] in taken
                    or before >= (place + 1) % draw
                ):
                    reached.add(card)
                    if card not in self.stuck:
                        taken.add(card)
                    grew = True
        return taken, reached

    def _open_cards(self) -> set[int]:
        """The cards that can lie in the tableau with nothing on them."""
        found: set[int] = set()
        for card in range(51, -1, -1):  # kings first: a card's build cards come before it
            if card in self.column:
                if card not in self.cover:
                    found.add(card)
            elif card in self.taken and self._has_base(card, found):
                found.add(card)
        return found

    def _has_base(self, card: int, found: set[int]) -> bool:
        if self.emptiable and self.rules.fills(card):
            return True
        return any(base in found for base in self.rules.hosts(card))

    def _is_immobile(self, card: int) -> bool:
        if card in self.stuck or card in self.cover:
            return True
        return card not in self.column and card not in self.reached

    def lower_card(self, card: int) -> int | None:
        """The lowest card of the suit that keeps the card from its foundation."""
        for lower in range(suit(card), card, 4):
            if self._is_immobile(lower):
                return lower
        return None

    def can_leave(self, card: int) -> bool:
        """Whether a card of the set can leave while all the others are in their places."""
        if card in self.cover or (card not in self.column and card not in self.reached):
            return False
        return self.lower_card(card) is None or self._has_base(card, self.open)

    def _whereabouts(self, card: int, speaker: int, *, plural: bool = False) -> str:
        """The reason why a card is not available, as the words that follow its name."""
        if card in self.cover:
            holder = self.cover[card]
            under = "it" if holder == speaker else card_name(holder)
            return f"lie under {under}" if plural else f"lies under {under}"
        be = "are" if plural else "is"
        if card in self.stuck:
            return f"{be} among these cards"
        if card not in self.reached:
            return f"{be} out of reach in the stock"
        return f"{be} in the stock and can never be laid on a column"

    def explain(self, card: int) -> str:
        """Explain in one sentence why this card of the set cannot leave."""
        name = card_name(card)
        if card in self.column:
            start = f"{name} cannot leave column {self.column[card] + 1}: "
        else:
            start = f"{name} cannot leave the stock: "
        if card in self.cover:
            return f"{start}it lies under {card_name(self.cover[card])}."
        if card not in self.column and card not in self.reached:
            return f"{start}it never comes to the top of the waste."
        lower = self.lower_card(card)
        assert lower is not None
        lower_lies = self._whereabouts(lower, card)
        foundation = f"{card_name(lower)}, which must reach the foundation before it, {lower_lies}"
        hosts = self.rules.hosts(card)
        if len(hosts) != 2 or self.rules.fills(card):
            return f"{start}{self._no_place(card, hosts)}, and {foundation}."
        first, second = hosts
        lies = [self._whereabouts(base, card) for base in (first, second)]
        if lies[0] != lies[1]:
            return (
                f"{start}of the cards it can be built on, {card_name(first)} {lies[0]} and "
                f"{card_name(second)} {lies[1]}; and {foundation}."
            )
        if lower_lies == lies[0] and lower in self.cover:
            foundation = f"so does {card_name(lower)}, which must reach the foundation before it"
        return (
            f"{start}{card_name(first)} and {card_name(second)}, the only cards it can be built "
            f"on, {self._whereabouts(first, card, plural=True)}, and {foundation}."
        )

    def _no_place(self, card: int, hosts: Sequence[int]) -> str:
        """Why a card has no place in the tableau, if it is not simply that two others lie still."""
        parts = [f"{card_name(host)} {self._whereabouts(host, card)}" for host in hosts]
        if len(hosts) == 1:
            parts = [f"it can be built on {card_name(hosts[0])} alone, which " + parts[0][3:]]
        elif hosts:
            parts[0] = f"of the cards it can be built on, {parts[0]}"
        if self.rules.fills(card):
            parts.append("no column can be emptied for it")
        elif not hosts:
            parts.append("no card may go to an empty column")
        return ", ".join(parts)


def _names(cards: Sequence[int]) -> str:
    names = [card_name(card) for card in cards]
    return ", ".join(names[:-1]) + " and " + names[-1]


CHECKER = DeadEnds(KINDS, check_witness, explain_witness, needed_cards)
