"""Checker and explanations of dead ends of kind `conflict`: cards that cannot all go up.

The witness is a set of cards whose thinned game (`engine.klondike.thinned_game`) cannot be won.
The checker enumerates the reachable positions of that game. If there are more than
`MOST_POSITIONS`, it computes which pairs of facts can hold at the same time instead: a fact that
can hold together with all preconditions of a step can hold together with its effects. If two of the
cards are never up together, the game cannot be won. `solvers.klondike.dead_ends.pair_reachability`,
which finds witnesses by this method and shares no code with the checker, has the full argument.

Here loose cards have places: a card with two parents in the game lies on one of them, a king in a
column. This takes no play away. Where a step wants one of two twins bare, fewer cards belong on
the two than are visible, so at most one lies there, and it can shift to the other twin. Hence what
pairs prove lost, going through all positions would show lost as well.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

from engine.cards import KING, card_name, rank
from engine.klondike.deal import KlondikeDeal
from engine.klondike.thinned_game import ThinnedGame

MOST_POSITIONS = 10_000
# For more cards the explanation does not list where each lies and what it needs.
MOST_CARDS_IN_WORDS = 12

# A fact about a card or a column: ("dealt", card), ("up", card), ("bare", card): visible and
# nothing on it, ("head", card): the cards dealt on it are gone, ("on", card, parent),
# ("loose", card) where it may lie anywhere, ("at", king, column), ("empty", column).
Fact = tuple[str | int, ...]
Pairs = dict[Fact, set[Fact]]


def proves_loss(deal: KlondikeDeal, draw: int, cards: Sequence[int]) -> bool:
    """Whether the thinned game of these cards cannot be won."""
    game = ThinnedGame(deal, draw, cards)
    positions = game.positions(MOST_POSITIONS)
    if positions is None:
        return _apart(game, reached_pairs(game)) is not None
    return all(position.up != game.kept for position in positions)


@dataclass
class _Step:
    """A step of one card.

    Attributes:
        ends: preconditions that no longer hold after it.
        begins: facts that hold after it.
        needs: groups of further facts, of each of which one must hold.
        waits: for a card of the stock, the facts of which one must hold (that the card after it is
            gone), unless of the groups that follow as many as the number says have one that does.
        seen_size: the number of pairs of its facts when they were last gone through.
    """

    ends: frozenset[Fact]
    begins: frozenset[Fact]
    needs: tuple[tuple[Fact, ...], ...] = ()
    waits: tuple[tuple[Fact, ...], int, list[tuple[Fact, ...]]] | None = None
    seen_size: int = -1

    def held_before(self, pairs: Pairs) -> set[Fact]:
        """The facts compatible with each precondition of the step; none if unchanged."""
        after, enough, before = self.waits or ((), 0, [])
        size = sum(
            len(pairs.get(fact, ()))
            for group in (self.ends, after, *self.needs, *before)
            for fact in group
        )
        if size == self.seen_size:
            return set()
        self.seen_size = size
        held = set.intersection(*(pairs.get(fact, set()) for fact in self.ends))
        for group in self.needs:
            held &= _with_any(pairs, group)
        if self.waits is not None:
            gone = Counter(fact for group in before for fact in _with_any(pairs, group))
            held &= _with_any(pairs, after) | {fact for fact in held if gone[fact] >= enough}
        return held if self.ends <= held else set()


def reached_pairs(game: ThinnedGame) -> Pairs:
    """Fact -> the facts, itself included, that can hold at the same time by pair reachability."""
    start: set[Fact] = {("dealt", card) for card in game.kept}
    for number, column in enumerate(game.columns):
        start.add(("bare", column[-1]) if column else ("empty", number))
    pairs: Pairs = {fact: set(start) for fact in start}
    steps = list(_steps(game))
    grew = True
    while grew:
        grew = False
        for step in steps:
            held = step.held_before(pairs)
            if not held:
                continue
            held = (held - step.ends) | step.begins
            for fact in step.begins:
                for other in held - pairs.setdefault(fact, set()):
                    pairs[fact].add(other)
                    pairs.setdefault(other, set()).add(fact)
                    grew = True
    return pairs


def _steps(game: ThinnedGame) -> Iterator[_Step]:
    """The steps of all cards. A king at the bottom of its column need not move to another one."""
    for card in sorted(game.kept):
        dealt, up, bare = ("dealt", card), ("up", card), ("bare", card)
        can_rise = ((("up", game.lower[card]),),) if card in game.lower else ()
        can_sink = (_not_up(game, game.higher[card]),) if card in game.higher else ()
        places = _places(game, card)

        if card in game.stock:
            waits = None
            if card in game.waits:
                after, enough, before = game.waits[card]
                waits = (_gone(game, after), enough, [_gone(game, other) for other in before])
            yield _Step(frozenset({dealt}), frozenset({up}), can_rise, waits)
            for at, place in places:
                yield _Step(frozenset({dealt, *place}), frozenset({at, bare}), (), waits)
        else:
            number = next(n for n, column in enumerate(game.columns) if card in column)
            column = game.columns[number]
            depth = column.index(card)
            leaves = {dealt} if card == column[-1] else {dealt, ("head", card)}
            uncovers: set[Fact] = {("empty", number)}
            if depth:
                uncovers = {("bare", column[depth - 1]), ("head", column[depth - 1])}
            yield _Step(frozenset({*leaves, bare}), frozenset({up, *uncovers}), can_rise)
            if depth or rank(card) != KING:
                for at, place in places:
                    yield _Step(frozenset({*leaves, *place}), frozenset({at, *uncovers}))

        for at, place in places:
            yield _Step(frozenset({at, bare}), frozenset({up, *place}), can_rise)
            yield _Step(frozenset({up, *place}), frozenset({at, bare}), can_sink)
            for other, its_place in places:
                if at != other and rank(card) != KING:
                    yield _Step(frozenset({other, *place}), frozenset({at, *its_place}))


def _places(game: ThinnedGame, card: int) -> list[tuple[Fact, tuple[Fact, ...]]]:
    """The places where a card can lie loose, and the facts that each needs and then ends."""
    if rank(card) == KING:
        return [(("at", card, column), (("empty", column),)) for column in range(7)]
    if card in game.parents:
        return [(("on", card, other), (("bare", other),)) for other in game.parents[card]]
    return [(("loose", card), ())]


def _gone(game: ThinnedGame, card: int) -> tuple[Fact, ...]:
    return (("up", card), *(at for at, _ in _places(game, card)))


def _not_up(game: ThinnedGame, card: int) -> tuple[Fact, ...]:
    return (("dealt", card), *(at for at, _ in _places(game, card)))


def _with_any(pairs: Pairs, facts: Sequence[Fact]) -> set[Fact]:
    return set().union(*(pairs.get(fact, ()) for fact in facts))


def _apart(game: ThinnedGame, pairs: Pairs) -> tuple[int, int] | None:
    """Two kept cards, possibly the same, that can never be up at the same time."""
    for one, other in combinations_with_replacement(sorted(game.kept), 2):
        if ("up", other) not in pairs.get(("up", one), set()):
            return one, other
    return None


def explain(deal: KlondikeDeal, draw: int, cards: Sequence[int]) -> str | None:
    """Explain to a person looking at the deal why these cards cannot all go up.

    Returns None if they prove nothing.
    """
    game = ThinnedGame(deal, draw, cards)
    outcome = _outcome(game)
    if outcome is None:
        return None
    sentences = [
        f"Look only at these {len(cards)} cards, and let every other card be wherever it is wanted "
        "and never in the way: up when a foundation waits for it, open to be built on, on top of "
        "nothing. Even so these cannot all go up."
    ]
    if len(cards) <= MOST_CARDS_IN_WORDS:
        sentences += [
            *_where_they_lie(game),
            *_order_on_foundations(game),
            *_places_to_share(game),
            *_order_in_stock(game),
        ]
    return " ".join([*sentences, outcome])


def _where_they_lie(game: ThinnedGame) -> Iterator[str]:
    for number, column in enumerate(game.columns, start=1):
        if len(column) > 1:
            first, second, *others = map(card_name, column)
            further = "".join(f", that under {name}" for name in others)
            yield f"In column {number}, {first} lies under {second}{further}."
        elif column:
            yield f"{card_name(column[0])} lies in column {number}."
    if game.stock:
        lies = "lies" if len(game.stock) == 1 else "lie"
        yield f"{_names(game.stock)} {lies} in the stock."


def _order_on_foundations(game: ThinnedGame) -> Iterator[str]:
    if game.lower:
        (first, low), *others = sorted(game.lower.items())
        pairs = [f"{card_name(first)} comes after {card_name(low)}"]
        pairs += [f"{card_name(card)} after {card_name(low)}" for card, low in others]
        yield f"On the foundations {_listed(pairs)}."


def _places_to_share(game: ThinnedGame) -> Iterator[str]:
    for two, children in sorted(game.children.items()):
        if len(children) == 1:
            one, other = map(card_name, two)
            yield f"{_names(children)} can be built only on {one} or {other}."
        else:
            yield f"{_names(sorted(children))} can be built only on {_names(two)}, one on each."
    kings = [card for card in game.kept if rank(card) == KING]
    free = game.columns.count([])
    if len(kings) > free:
        needs = "needs an empty column" if len(kings) == 1 else "need an empty column each"
        count = "no column is" if free == 0 else f"only {free} can be taken to be"
        rest = "while these cards lie in the others" if free else "before these cards leave one"
        yield f"{_names(sorted(kings))} {needs}, and {count} empty {rest}."


def _order_in_stock(game: ThinnedGame) -> Iterator[str]:
    for card, (after, enough, before) in game.waits.items():
        sentence = f"{card_name(card)} cannot be drawn before {card_name(after)} has left the stock"
        if len(before) >= enough:
            some = "" if len(before) == enough else "one of " if enough == 1 else f"{enough} of "
            sentence += f" or {some}{_names(before)} {'has' if enough == 1 else 'have'}"
        yield f"{sentence}."


def _outcome(game: ThinnedGame) -> str | None:
    """The result of the enumeration, if it proves that the game cannot be won."""
    positions = game.positions(MOST_POSITIONS)
    if positions is None:
        apart = _apart(game, reached_pairs(game))
        if apart is None:
            return None
        one, other = map(card_name, apart)
        never = f"{one} can never be up"
        if one != other:
            never = f"{one} and {other} can never be up at the same time"
        return (
            f"They can come to more than {MOST_POSITIONS:,} positions, so it was worked out which "
            f"two things can be true at the same time, and {never}."
        )
    most = max(len(position.up) for position in positions)
    if most == len(game.kept):
        return None
    stuck = frozenset.intersection(*(position.dealt for position in positions))
    heads = [
        column[-1] for column in ([c for c in k if c in stuck] for k in game.columns) if column
    ]
    if not stuck:
        end = f"each card can leave in some of them, but no more than {most} are ever up together"
    elif len(stuck) <= MOST_CARDS_IN_WORDS:
        stays = "stays where it was" if len(stuck) == 1 else "stay where they were"
        end = f"in all of them {_names(sorted(stuck))} {stays} dealt"
    else:
        end = f"in all of them the same {len(stuck)} cards stay where they were dealt"
        if heads:
            end += f", in the columns those from the bottom up to {_names(heads)}"
    if len(positions) == 1:
        return "None of them can ever move."
    return f"They can come to {len(positions):,} positions, and {end}."


def _names(cards: Iterable[int]) -> str:
    return _listed([card_name(card) for card in cards])


def _listed(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
