"""A game of the referee as a game of the thinned game: facts true at each moment."""

from collections.abc import Iterable, Iterator

from engine.cards import KING, rank
from engine.klondike.conflicts import Fact
from engine.klondike.deal import KlondikeDeal
from engine.klondike.moves import KlondikeKind, KlondikeMove
from engine.klondike.referee import KlondikePosition
from engine.klondike.rules import KlondikeRules
from engine.klondike.thinned_game import ThinnedGame, ThinnedPosition


class ThinnedPlay:
    """Follows a play from the start of a deal.

    Columns have names, at first their numbers. When all that lies in a column moves to an empty
    one, the two exchange their names; a king that was dealt there goes on counting as dealt.
    """

    def __init__(self, deal: KlondikeDeal, rules: KlondikeRules, kept: Iterable[int]) -> None:
        self.game = ThinnedGame(deal, rules.draw, kept)
        self.position = KlondikePosition.start(deal, rules)
        self.dealt = set(self.game.kept)
        self.names = list(range(7))

    def play(self, move: KlondikeMove) -> None:
        before, self.position = self.position, self.position.play(move)
        if move.kind is KlondikeKind.RUN:
            source, target = move.source, move.target
            kept = [c for c in before.down[source] + before.up[source] if c in self.game.kept]
            staying = [c for c in self.column(source) if c in self.game.kept]
            if not before.up[target] and kept and not staying and rank(kept[0]) == KING:
                names = self.names
                names[source], names[target] = names[target], names[source]
                return
        self.dealt -= self.moved(before)

    def column(self, number: int) -> tuple[int, ...]:
        return self.position.down[number] + self.position.up[number]

    def moved(self, before: KlondikePosition) -> set[int]:
        def places(position: KlondikePosition) -> dict[int, object]:
            found: dict[int, object] = {}
            for number in range(7):
                for at, card in enumerate(position.down[number] + position.up[number]):
                    found[card] = (number, at)
            for card in position.stock + position.waste:
                found[card] = "stock"
            return found

        was, is_now = places(before), places(self.position)
        return {card for card in self.game.kept if was.get(card) != is_now.get(card)}

    def thinned(self) -> ThinnedPosition:
        on_foundations = {
            4 * level + suit
            for suit, height in enumerate(self.position.foundations)
            for level in range(height)
        }
        return ThinnedPosition(frozenset(self.dealt), self.game.kept & on_foundations)

    def facts(self) -> Iterator[Fact]:
        """What is true now of the kept cards."""
        kept, (dealt, up) = self.game.kept, self.thinned()
        loose = kept - dealt - up
        yield from (("dealt", card) for card in dealt)
        yield from (("up", card) for card in up)
        covered = set()
        taken = set()
        for number in range(7):
            column = self.column(number)
            for at, card in enumerate(column):
                if card not in loose:
                    continue
                if rank(card) == KING:
                    assert at == 0
                    taken.add(self.names[number])
                    yield "at", card, self.names[number]
                elif card in self.game.parents:
                    covered.add(column[at - 1])
                    yield "on", card, column[at - 1]
                else:
                    yield "loose", card
        heads = set()
        for name, column in enumerate(self.game.columns):
            left = [card for card in column if card in dealt]
            heads.update(left[-1:])
            yield from (("head", card) for card in left[-1:] if card != column[-1])
            if not left and name not in taken:
                yield "empty", name
        yield from (("bare", card) for card in (heads | loose) - covered)
