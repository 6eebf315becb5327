"""Naive twin of `solvers.klondike.solution`: the same choices on Python sets.

Lines are followed on the referee's positions.
"""

from typing import NamedTuple

from engine.cards import KING, rank, suit, twin
from engine.cardset import CARD_OF_BIT
from engine.klondike.moves import REDEAL, TURN, WASTE_UP, KlondikeKind, KlondikeMove
from engine.klondike.referee import KlondikePosition
from solvers.klondike.exact import position as steps

# A place is ("card", card), ("column", column), "foundation" or "talon".
Place = tuple[str, int] | str
FOUNDATION, TALON = "foundation", "talon"


class Play(NamedTuple):
    card: int
    source: Place
    target: Place


class Line(NamedTuple):
    """What a list of plays comes to: by play, what it needs; by stock card, what it waits for."""

    needs: list[set[int]]
    behind: list[set[int]]  # needs of needs too, and the play itself
    takes: list[set[int]]  # stock cards
    required: dict[int, set[int]]  # by stock card
    taker: dict[int, int]


def naive_shorten(
    start: KlondikePosition, moves: tuple[KlondikeMove, ...], rounds: int = 1
) -> tuple[KlondikeMove, ...]:
    return shortened_plays(start, plays_of(start, moves), moves, rounds)


def naive_solution(
    start: KlondikePosition, line: list[int], rounds: int = 1
) -> tuple[KlondikeMove, ...]:
    """The solution for the steps of a win."""
    return shortened_plays(start, plays_of_steps(start, line), None, rounds)


def shortened_plays(
    start: KlondikePosition,
    plays: list[Play],
    moves: tuple[KlondikeMove, ...] | None,
    rounds: int,
) -> tuple[KlondikeMove, ...]:
    """The shortest line found, or `moves` if none is shorter."""
    talon = start.waste + start.stock
    waste, draw = len(start.waste), start.rules.draw
    order = stock_order(plays)
    for number in range(rounds):
        if number > 0:
            plays = loosened(start, plays)
        required = line_of(start, plays).required
        order = naive_improve(talon, order, waste, draw, required)
        plays = merged(start, arranged(start, plays, order))
        turns = naive_turns(talon, order, waste, draw)
        assert turns is not None
        if moves is None or len(plays) + turns < len(moves):
            moves = moves_of(start, plays)
    assert moves is not None
    return moves


def columns_of(start: KlondikePosition) -> list[list[int]]:
    return [[*down, *up] for down, up in zip(start.down, start.up, strict=True)]


def under(columns: list[list[int]], column: int, level: int) -> Place:
    return ("card", columns[column][level - 1]) if level else ("column", column)


def plays_of(start: KlondikePosition, moves: tuple[KlondikeMove, ...]) -> list[Play]:
    """The moves but for the turns, followed on the referee's positions."""
    plays = []
    now = start
    for move in moves:
        columns = columns_of(now)
        target = under(columns, move.target, len(columns[move.target]))
        top = len(columns[move.source]) - 1
        after = now.play(move)
        match move.kind:
            case KlondikeKind.WASTE_UP:
                plays.append(Play(now.waste[-1], TALON, FOUNDATION))
            case KlondikeKind.WASTE_DOWN:
                plays.append(Play(now.waste[-1], TALON, target))
            case KlondikeKind.UP:
                source = under(columns, move.source, top)
                plays.append(Play(columns[move.source][top], source, FOUNDATION))
            case KlondikeKind.DOWN:
                plays.append(Play(columns_of(after)[move.target][-1], FOUNDATION, target))
            case KlondikeKind.RUN:
                level = len(columns_of(after)[move.source])
                source = under(columns, move.source, level)
                plays.append(Play(columns[move.source][level], source, target))
        now = after
    return plays


def plays_of_steps(start: KlondikePosition, line: list[int]) -> list[Play]:
    """The plays for a line of steps of the search, each ``kind << 6 | bit of the card``."""
    columns = columns_of(start)
    plays: list[Play] = []

    def put(card: int, target: Place, elsewhere: Place) -> None:
        """Move a card, with what lies on it, from its column or from `elsewhere`."""
        moved, source = [card], elsewhere
        for column, pile in enumerate(columns):
            if card in pile:
                level = pile.index(card)
                source = under(columns, column, level)
                moved = pile[level:]
                del pile[level:]
        plays.append(Play(card, source, target))
        if target != FOUNDATION:
            tops = [under(columns, column, len(columns[column])) for column in range(7)]
            columns[tops.index(target)] += moved

    for step in line:
        kind, card = step >> 6, int(CARD_OF_BIT[step & 63])
        bare = [under(columns, column, len(columns[column])) for column in range(7)]
        elsewhere = FOUNDATION if kind == steps.DOWN else TALON
        if kind in (steps.HEAD_UP, steps.LOOSE_UP):
            pile = next(pile for pile in columns if card in pile)
            if pile[-1] != card:
                put(pile[pile.index(card) + 1], ("card", twin(card)), elsewhere)
        if kind in (steps.HEAD_UP, steps.LOOSE_UP, steps.STOCK_UP):
            put(card, FOUNDATION, elsewhere)
        else:
            put(card, next(place for place in hosts(card) if place in bare), elsewhere)
    return plays


def moves_of(start: KlondikePosition, plays: list[Play]) -> tuple[KlondikeMove, ...]:
    """The moves of the plays with the turns they need."""
    moves = []
    now = start
    for card, source, target in plays:
        if source == TALON:
            while not now.waste or now.waste[-1] != card:
                move = TURN if now.stock else REDEAL
                moves.append(move)
                now = now.play(move)
        columns = columns_of(now)
        home = next((k for k, column in enumerate(columns) if card in column), 0)
        goal = 0
        if isinstance(target, tuple):
            kind, number = target
            if kind == "column":
                goal = number
            else:
                goal = next(k for k, column in enumerate(columns) if number in column)
        if source == TALON:
            move = (
                WASTE_UP if target == FOUNDATION else KlondikeMove(KlondikeKind.WASTE_DOWN, 0, goal)
            )
        elif source == FOUNDATION:
            move = KlondikeMove(KlondikeKind.DOWN, suit(card), goal)
        elif target == FOUNDATION:
            move = KlondikeMove(KlondikeKind.UP, home, 0)
        else:
            move = KlondikeMove(KlondikeKind.RUN, home, goal)
        moves.append(move)
        now = now.play(move)
    return tuple(moves)


def stock_order(plays: list[Play]) -> list[int]:
    return [card for card, source, _ in plays if source == TALON]


def line_of(start: KlondikePosition, plays: list[Play]) -> Line:
    """Follow the tokens from the play that gives each to the play that takes it."""
    face_down = {card for down in start.down for card in down}
    giver: dict[object, int] = {}
    line = Line([], [], [], {}, {})
    for at, (card, source, target) in enumerate(plays):
        taken: list[object] = []
        given: list[object] = [("there", card)]
        foundation = ("top", suit(card))
        if FOUNDATION in (source, target):
            taken.append(foundation)
            given.append(foundation)
        if isinstance(source, tuple):
            taken.append(("there", card))
            given.append(("bare", source))
            if source[0] == "card" and source[1] in face_down:
                face_down.remove(source[1])
                given.append(("there", source[1]))
            if target == FOUNDATION:
                taken.append(("bare", ("card", card)))
        else:
            given.append(("bare", ("card", card)))
        if isinstance(target, tuple):
            taken.append(("bare", target))
        needs = {giver[token] for token in taken if token in giver}
        giver.update(dict.fromkeys(given, at))
        line.needs.append(needs)
        line.behind.append({at}.union(*(line.behind[other] for other in needs)))
        takes = {plays[other].card for other in line.behind[at] if plays[other].source == TALON}
        line.takes.append(takes)
        if source == TALON:
            line.required[card] = takes - {card}
            line.taker[card] = at
    return line


def merged(start: KlondikePosition, plays: list[Play]) -> list[Play]:
    """Merge where the order of the stock can stay, early rather than late."""
    order = stock_order(plays)
    line = line_of(start, plays)
    second = 0
    while second < len(plays):
        earlier = [at for at in range(second) if plays[at].card == plays[second].card]
        if earlier and can_merge(start, plays, line, earlier, second):
            first = earlier[-1]
            lists = [with_merger(plays, line, first, second, late) for late in (False, True)]
            same = [new for new in lists if stock_order(new) == order]
            if same:
                plays = same[0]
                line = line_of(start, plays)
                second = first - 1
        second += 1
    return plays


def can_merge(
    start: KlondikePosition, plays: list[Play], line: Line, earlier: list[int], second: int
) -> bool:
    first = earlier[-1]
    if any(first in line.behind[need] for need in line.needs[second] if need != first):
        return False
    source = plays[first].source
    if source == plays[second].target and isinstance(source, tuple) and source[0] == "card":
        # Where it lay since the deal, its leaving uncovers a card; if it came there later, not.
        return len(earlier) > 1 or not any(source[1] in down for down in start.down)
    return True


def with_merger(plays: list[Play], line: Line, first: int, second: int, late: bool) -> list[Play]:
    between = range(first + 1, second)
    if late:
        after = [at for at in between if first in line.behind[at]]
    else:
        after = [at for at in between if at not in line.behind[second]]
    play = Play(plays[first].card, plays[first].source, plays[second].target)
    return [
        *plays[:first],
        *(plays[at] for at in between if at not in after),
        *([play] if play.source != play.target else []),
        *(plays[at] for at in after),
        *plays[second + 1 :],
    ]


def loosened(start: KlondikePosition, plays: list[Play]) -> list[Play]:
    line = line_of(start, plays)
    at = 0
    while at < len(plays):
        card, source, target = plays[at]
        if source != TALON:
            at += 1
            continue
        leaves = at  # the play that takes the card away from where it first lies
        if target != FOUNDATION:
            leaves = next(
                (k for k in range(at + 1, len(plays)) if plays[k].card == card), len(plays)
            )
        best: tuple[int, int, Place] | None = None
        for place in hosts(card):
            since = bare_since(start, plays, place, at, leaves)
            if since is None:
                continue
            waits = line.takes[since] if since >= 0 else set()
            if waits < line.required[card] and (best is None or len(waits) < best[0]):
                best = len(waits), since, place
        if best is not None:
            _, since, place = best
            plays = list(plays)
            if target == FOUNDATION:
                plays[at] = Play(card, place, FOUNDATION)
                at += 1
            else:
                if leaves < len(plays):
                    plays[leaves] = Play(card, place, plays[leaves].target)
                del plays[at]
            plays.insert(since + 1, Play(card, TALON, place))
            line = line_of(start, plays)
        at += 1
    return plays


def hosts(card: int) -> list[Place]:
    if rank(card) == KING:
        return [("column", column) for column in range(7)]
    parents = [c for c in range(52) if rank(c) == rank(card) + 1 and (c ^ card) & 1]
    return [("card", parent) for parent in sorted(parents)]


def bare_since(
    start: KlondikePosition, plays: list[Play], place: Place, at: int, until: int
) -> int | None:
    """The play since which the place is bare, at play `at` and after all plays to `until`; -1 for
    the start; None if it is not so.
    """
    columns = columns_of(start)
    tops = [under(columns, column, len(columns[column])) for column in range(7)]
    since = -1 if place in tops else None
    for number, (card, source, target) in enumerate(plays[: until + 1]):
        mine = place == ("card", card)
        if target == place or (mine and target == FOUNDATION):
            since = None
        elif source == place or (mine and isinstance(source, str)):
            since = number
        if number >= at and since is None:
            return None
    return since


def arranged(start: KlondikePosition, plays: list[Play], order: list[int]) -> list[Play]:
    """Stable sort by the last stock card that a play or its needs take."""
    takes = line_of(start, plays).takes
    when = [max((order.index(card) + 1 for card in cards), default=0) for cards in takes]
    return [plays[at] for at in sorted(range(len(plays)), key=lambda at: when[at])]


class Talon(NamedTuple):
    """Stock and waste after some takes."""

    taken: tuple[int, ...]
    shown: tuple[int, ...]  # the waste, the playable card last
    hidden: tuple[int, ...]  # the stock, the next card first
    turns: int = 0

    def take(self, card: int, draw: int) -> "Talon | None":
        """Turn the stock until the card shows and take it; None if it never shows."""
        shown, hidden, turns = self.shown, self.hidden, self.turns
        for _ in range(2 * (len(shown) + len(hidden)) + 2):
            if shown and shown[-1] == card:
                return Talon((*self.taken, card), shown[:-1], hidden, turns)
            turns += 1
            if hidden:
                shown, hidden = shown + hidden[:draw], hidden[draw:]
            else:
                shown, hidden = (), shown
        return None


def naive_turns(talon: tuple[int, ...], order: list[int], waste: int, draw: int) -> int | None:
    """Turns and redeals for taking all cards in this order; None if one never shows."""
    now: Talon | None = Talon((), talon[:waste], talon[waste:])
    for card in order:
        now = now.take(card, draw) if now else None
    return now.turns if now else None


class Pass(NamedTuple):
    """A state between passes, as the beam compares it: all that is before `talon`."""

    promise: int
    parent: int
    skipped: int
    left: int  # a set of cards
    also: int
    turns: int
    talon: Talon


NONE = 31  # no card is skipped


def naive_improve(
    talon: tuple[int, ...], order: list[int], waste: int, draw: int, required: dict[int, set[int]]
) -> list[int]:
    """The beam search from pass to pass: narrow, and as long as that leads nowhere, wider."""
    known = naive_turns(talon, order, waste, draw)
    assert known is not None
    for width, wide in ((6, False), (31, False), (31, True)):
        best = _beam(talon, order, waste, draw, required, known, width, wide)
        if best is not None:
            return list(best.taken) if best.turns < known else order
    return order


def _beam(
    talon: tuple[int, ...],
    order: list[int],
    waste: int,
    draw: int,
    required: dict[int, set[int]],
    known: int,
    width: int,
    wide: bool,
) -> Talon | None:
    states = [Talon((), talon[:waste], talon[waste:])]
    given = states[0]  # where the given order leads to
    best = None
    while states:
        bound = best.turns if best else known + 1
        children: dict[int, Pass] = {}
        for parent, state in enumerate(states):
            at_least = state.turns - -len(state.hidden) // draw
            if at_least >= bound:
                continue
            takes = _played_pass(state, (), draw, required).taken[len(state.taken) :]
            for cards in _skips(takes, wide):
                after = _played_pass(state, cards, draw, required)
                cards_left = len(after.shown)
                if cards_left == 0:
                    if after.turns < bound:
                        best, bound = after, after.turns
                    continue
                turned = after._replace(shown=(), hidden=after.shown, turns=after.turns + 1)
                stands_still = turned.taken == state.taken and not state.shown
                if stands_still or turned.turns - -cards_left // draw >= bound:
                    continue
                numbers = [*(talon.index(card) for card in cards), NONE, NONE]
                left = sum(1 << talon.index(card) for card in turned.hidden)
                child = Pass(
                    turned.turns + cards_left,
                    parent,
                    numbers[0],
                    left,
                    numbers[1],
                    turned.turns,
                    turned,
                )
                children[left] = min(children.get(left, child), child)
        states = [child.talon for child in sorted(children.values())[:width]]
        if wide:
            given = _followed(given, order, draw)
            if given.hidden and given.turns < bound:
                states.append(given)
    return best


def _skips(takes: tuple[int, ...], wide: bool) -> list[tuple[int, ...]]:
    """None, then each alone and, if `wide`, with each later one."""
    skips: list[tuple[int, ...]] = [()]
    for at, card in enumerate(takes):
        skips.append((card,))
        if wide:
            skips += [(card, other) for other in takes[at + 1 :]]
    return skips


def _played_pass(
    state: Talon, skipped: tuple[int, ...], draw: int, required: dict[int, set[int]]
) -> Talon:
    """Take what shows and may be taken, until the stock is empty."""
    taken, shown, hidden, turns = state
    while True:
        while shown and shown[-1] not in skipped and required[shown[-1]] <= set(taken):
            taken, shown = (*taken, shown[-1]), shown[:-1]
        if not hidden:
            return Talon(taken, shown, hidden, turns)
        shown, hidden, turns = shown + hidden[:draw], hidden[draw:], turns + 1


def _followed(state: Talon, order: list[int], draw: int) -> Talon:
    """The given order to its next redeal, which is played."""
    taken, shown, hidden, turns = state
    while True:
        while shown and len(taken) < len(order) and shown[-1] == order[len(taken)]:
            taken, shown = (*taken, shown[-1]), shown[:-1]
        if not hidden:
            return Talon(taken, (), shown, turns + 1)
        shown, hidden, turns = shown + hidden[:draw], hidden[draw:], turns + 1
