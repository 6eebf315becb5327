"""Naive twin of `solvers.klondike.solution`: the same choices on Python sets.

Lines are followed on the referee's positions.
"""

from typing import NamedTuple

from engine.cards import KING, rank, suit
from engine.klondike.moves import REDEAL, TURN, WASTE_UP, KlondikeKind, KlondikeMove
from engine.klondike.referee import KlondikePosition

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
    start: KlondikePosition, moves: tuple[KlondikeMove, ...]
) -> tuple[KlondikeMove, ...]:
    talon = start.waste + start.stock
    waste, draw = len(start.waste), start.rules.draw
    plays = plays_of(start, moves)
    order = stock_order(plays)
    plays, _ = merged(start, plays, order, by_turns=False)
    plays = arranged(start, plays, order)
    plays = loosened(start, plays)
    required = line_of(start, plays).required
    order = naive_improve(talon, order, waste, draw, required, 2 if draw == 1 else 16)
    plays = arranged(start, plays, order)
    plays, order = merged(start, plays, order, by_turns=True)
    turns = naive_turns(talon, order, waste, draw)
    assert turns is not None
    return moves_of(start, plays) if len(plays) + turns < len(moves) else moves


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


def merged(
    start: KlondikePosition, plays: list[Play], order: list[int], by_turns: bool
) -> tuple[list[Play], list[int]]:
    talon = start.waste + start.stock
    waste, draw = len(start.waste), start.rules.draw
    turns = naive_turns(talon, order, waste, draw)
    line = line_of(start, plays)
    second = 0
    while second < len(plays):
        earlier = [at for at in range(second) if plays[at].card == plays[second].card]
        if not earlier or not can_merge(start, plays, line, earlier, second):
            second += 1
            continue
        first = earlier[-1]
        new = with_merger(plays, line, first, second, late=True)
        if by_turns:
            fewest = naive_turns(talon, stock_order(new), waste, draw)
            if fewest is None or turns is None or fewest > turns:
                early = with_merger(plays, line, first, second, late=False)
                fewer = naive_turns(talon, stock_order(early), waste, draw)
                if fewer is not None and (fewest is None or fewer < fewest):
                    new, fewest = early, fewer
            if fewest is None or turns is None or len(new) + fewest >= len(plays) + turns:
                second += 1
                continue
            turns = fewest
            order = stock_order(new)
        elif any(
            not waits <= line.required[card] for card, waits in line_of(start, new).required.items()
        ):
            second += 1
            continue
        plays = new
        line = line_of(start, plays)
        second = first
    return plays, order


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


def naive_improve(
    talon: tuple[int, ...],
    order: list[int],
    waste: int,
    draw: int,
    required: dict[int, set[int]],
    width: int,
) -> list[int]:
    """The beam search."""
    states = [Talon((), talon[:waste], talon[waste:])]
    on_order = states[0]  # where the given order leads to
    for given in order:
        best: dict[object, tuple[int, int, int, Talon]] = {}
        for place, state in enumerate(states):
            for number, card in enumerate(talon):
                if card in state.taken or not required[card] <= set(state.taken):
                    continue
                new = state.take(card, draw)
                if new is not None:
                    ranked = (new.turns * draw + len(new.hidden), place, number, new)
                    alike = (frozenset(new.taken), len(new.shown))
                    best[alike] = min(best.get(alike, ranked), ranked)
        states = [ranked[-1] for ranked in sorted(best.values())[:width]]
        after = on_order.take(given, draw)
        assert after is not None
        same = [
            state
            for state in states
            if set(state.taken) == set(after.taken) and state.shown == after.shown
        ]
        on_order = same[0] if same else after
        if not same:
            states.append(after)
    fewest = min(states, key=lambda state: state.turns)
    known = naive_turns(talon, order, waste, draw)
    assert known is not None
    return list(fewest.taken) if fewest.turns < known else order
