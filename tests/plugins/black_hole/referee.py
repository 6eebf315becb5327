"""The referee of Black Hole: its rules in plain Python."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from typing import Any

from black_hole.deal import ACE_OF_SPADES, CARDS, HEIGHT, PILES, BlackHoleDeal
from black_hole.moves import BlackHoleMove
from black_hole.rules import BlackHoleRules
from engine.cards import card_name, check_full_deck, parse_card, rank
from engine.errors import BadInput, IllegalMove


@dataclass(frozen=True, slots=True)
class BlackHolePosition:
    """A state during play; immutable.

    Attributes:
        rules: the ruleset played.
        piles: the cards of each pile, bottom to top.
        hole: the cards of the hole, the ace of spades first.
    """

    rules: BlackHoleRules
    piles: tuple[tuple[int, ...], ...]
    hole: tuple[int, ...]

    @classmethod
    def start(cls, deal: BlackHoleDeal, rules: BlackHoleRules) -> "BlackHolePosition":
        """The position before the first move."""
        return cls(rules, deal.piles("piles"), (ACE_OF_SPADES,))

    @property
    def is_won(self) -> bool:
        return len(self.hole) == CARDS

    @property
    def progress(self) -> str:
        """How far the game is, in words."""
        return f"{len(self.hole)} of {CARDS} cards in the hole"

    @property
    def to_come(self) -> str:
        """Nothing: all cards lie on the table."""
        return ""

    def legal_moves(self) -> list[BlackHoleMove]:
        """Every legal move, by pile."""
        moves = map(BlackHoleMove, range(PILES))
        return [move for move in moves if self.why_illegal(move) is None]

    def why_illegal(self, move: BlackHoleMove) -> str | None:
        """Why the rules forbid a move here; None if it is legal."""
        pile = self.piles[move.pile]
        if not pile:
            return f"pile {move} is empty"
        if rank(pile[-1]) not in self.rules.followers(rank(self.hole[-1])):
            return f"{card_name(pile[-1])} does not follow {card_name(self.hole[-1])}"
        return None

    def play(self, move: BlackHoleMove) -> "BlackHolePosition":
        """The position after a move.

        Raises:
            IllegalMove: the rules forbid it here; the sentence says why.
        """
        reason = self.why_illegal(move)
        if reason is not None:
            raise IllegalMove(move, reason)
        piles = list(self.piles)
        card = piles[move.pile][-1]
        piles[move.pile] = piles[move.pile][:-1]
        return replace(self, piles=tuple(piles), hole=(*self.hole, card))

    def __str__(self) -> str:
        """The table as text: the hole, then each pile, bottom to top."""
        lines = [f"hole {_names(self.hole[-1:])} ({self.progress})", ""]
        lines += [f"{number:>4} {_names(pile)}" for number, pile in enumerate(self.piles, start=1)]
        return "\n".join(line.rstrip() for line in lines)

    def to_json(self) -> dict[str, Any]:
        """The position as plain data: the cards of the hole and of each pile, and the ruleset."""
        return {
            "rules": self.rules.slug,
            "hole": [card_name(card) for card in self.hole],
            "piles": [[card_name(card) for card in pile] for pile in self.piles],
        }

    def observation(self) -> dict[str, Any]:
        """All of `to_json`: every card is face up."""
        return self.to_json()

    @classmethod
    def from_json(cls, data: Any, rules: BlackHoleRules) -> "BlackHolePosition":
        """Read what `to_json` writes, under the rules given.

        Raises:
            BadInput: a key is missing or malformed, or no play leads to the position.
        """
        try:
            hole = tuple(parse_card(text) for text in data["hole"])
            piles = tuple(tuple(parse_card(text) for text in pile) for pile in data["piles"])
        except BadInput:
            raise
        except (KeyError, TypeError) as error:
            raise BadInput(
                'a position of Black Hole needs the keys "hole" (a list of cards) and "piles" '
                f"(lists of cards): {error!r}"
            ) from None
        return cls(rules, piles, hole).checked()

    def checked(self) -> "BlackHolePosition":
        """The position itself, if play can lead to it.

        Raises:
            BadInput: it cannot; the sentence says why.
        """
        check_full_deck(chain(self.hole, *self.piles), "the position")
        if len(self.piles) != PILES or any(len(pile) > HEIGHT for pile in self.piles):
            raise BadInput(f"a position of Black Hole has {PILES} piles of at most {HEIGHT} cards")
        if self.hole[:1] != (ACE_OF_SPADES,):
            raise BadInput("the hole begins with AS")
        for below, above in pairwise(self.hole):
            if rank(above) not in self.rules.followers(rank(below)):
                raise BadInput(
                    f"the hole of {self.rules} cannot have {card_name(above)} on {card_name(below)}"
                )
        return self


def _names(cards: Iterable[int]) -> str:
    return " ".join(map(card_name, cards))
