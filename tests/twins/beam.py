"""Naive twins of the beam search for shorter solutions, and of routes.

Which steps a board has is asked of the kernel, which has a twin of its own.
"""

from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

from engine.cards import KING, is_red, rank, suit
from engine.klondike.moves import REDEAL, TURN, WASTE_UP, KlondikeKind, KlondikeMove
from engine.klondike.referee import KlondikePosition

Keys = tuple[int, int]


class Step(NamedTuple):
    """A step from a board: the board after it, the moves of the step, and what is left then."""

    keys: Keys
    moves: int
    left: int
    score: int
    is_down: bool


class _Node(NamedTuple):
    """A way to a board."""

    keys: Keys
    made: int
    parent: "_Node | None"


def naive_beam(
    route: list[tuple[Keys, int]],
    below: int,
    width: int,
    steps: Callable[[Keys], list[Step]],
    downs: bool,
    is_won: Callable[[Keys], bool],
) -> tuple[list[Keys] | None, int]:
    """The boards of the shortest solution found, if any, and how many boards were expanded.

    Args:
        route: boards of a known solution from its start on, with the moves made until each.
        below: solutions must have fewer moves.
        width: boards of a layer that are expanded, besides those of the route.
        steps: the steps from a board.
        downs: whether cards may come down.
        is_won: whether a board is won.
    """
    best: dict[Keys, _Node] = {}
    layers: dict[int, dict[int, list[_Node]]] = defaultdict(lambda: defaultdict(list))
    row_of = {keys: row for row, (keys, _) in enumerate(route)}
    goal: _Node | None = None
    expanded = 0

    def enter(node: _Node, score: int) -> None:
        nonlocal goal, below
        best[node.keys] = node
        layers[node.made][score].append(node)
        if is_won(node.keys) and node.made < below:
            goal, below = node, node.made

    def enter_route(row: int, node: _Node) -> None:
        for keys, made in route[row + 1 :]:
            reached = node.made + made - route[row][1]
            if keys in best and best[keys].made <= reached:
                return
            node = _Node(keys, reached, node)
            row = row_of[keys]
            enter(node, 0)

    first = _Node(route[0][0], 0, None)
    enter(first, 0)
    enter_route(0, first)
    made = 0
    while made < below:
        free = width
        for value in sorted(layers[made]):
            for node in reversed(layers[made][value]):
                if best[node.keys] is not node:
                    continue
                if value and not free:
                    break
                free -= value > 0
                expanded += 1
                for step in steps(node.keys):
                    reached = made + step.moves
                    if (step.is_down and not downs) or reached + step.left >= below:
                        continue
                    if step.keys in best and best[step.keys].made <= reached:
                        continue
                    after = _Node(step.keys, reached, node)
                    known = step.keys in best and step.keys in row_of
                    enter(after, 0 if known else step.score + 1)
                    if known:
                        enter_route(row_of[step.keys], after)
            if not free:
                break
        made += 1
    if goal is None:
        return None, expanded
    boards, at = [], goal
    while at is not None:
        boards.append(at.keys)
        at = at.parent  # type: ignore[assignment]
    return boards[::-1], expanded


class Passed(NamedTuple):
    """A board of a route: who lies where, apart from the columns' order, and the moves made."""

    foundations: tuple[int, ...]
    columns: tuple[tuple[int, ...], ...]
    loose: frozenset[int]
    stock: tuple[int, ...]
    waste: tuple[int, ...]
    made: int


def naive_route(start: KlondikePosition, moves: tuple[KlondikeMove, ...]) -> list[Passed]:
    """The boards that a line passes, played by the referee without what it does in vain."""
    line, own, made = start, start, 0
    passed = [_passed(start, 0)]
    for move in moves:
        after = line.play(move)
        played = None if move in (TURN, REDEAL) else _same_play(line, move, after, own)
        line = after
        if played is None:
            continue
        for each in played:
            own = own.play(each)
        made += len(played)
        while (up := _settled(own)) is not None:
            own = own.play(up)
            made += 1
        now = _passed(own, made)
        again = [at for at, board in enumerate(passed) if board[:-1] == now[:-1]]
        if again:
            passed = passed[: again[0] + 1]
            made = passed[-1].made
        else:
            passed.append(now)
    return passed


def _passed(position: KlondikePosition, made: int) -> Passed:
    columns = list(zip(position.down, position.up, strict=True))
    lying = tuple(sorted(down + up for down, up in columns))
    # All that lie on another face-up card, and kings in columns of their own.
    loose = frozenset(
        card
        for down, up in columns
        for at, card in enumerate(up)
        if at > 0 or (not down and rank(card) == KING)
    )
    return Passed(position.foundations, lying, loose, position.stock, position.waste, made)


def _is_up(card: int, position: KlondikePosition) -> bool:
    return position.foundations[suit(card)] > rank(card)


def _is_settled(card: int, position: KlondikePosition) -> bool:
    """Whether all that a card could ever be of use to is up: its children, and two ranks below."""
    for other in range(52):
        child = rank(other) == rank(card) - 1 and is_red(other) != is_red(card)
        below = (
            rank(other) == rank(card) - 2
            and is_red(other) == is_red(card)
            and suit(other) != suit(card)
        )
        if (child or below) and not _is_up(other, position):
            return False
    return True


def _settled(position: KlondikePosition) -> KlondikeMove | None:
    """A move that sends a settled card of the tableau up."""
    for move in position.legal_moves():
        if move.kind is KlondikeKind.UP:
            card = position.up[move.source][-1]
            if _is_settled(card, position):
                return move
    return None


def _same_play(
    line: KlondikePosition, move: KlondikeMove, after: KlondikePosition, own: KlondikePosition
) -> list[KlondikeMove] | None:
    """The moves that make the play of a line elsewhere; None if it is left out there."""
    if move.kind in (KlondikeKind.WASTE_DOWN, KlondikeKind.WASTE_UP):
        card = line.waste[-1]
        moves = []
        while not own.waste or own.waste[-1] != card:
            moves.append(TURN if own.stock else REDEAL)
            own = own.play(moves[-1])
        if move.kind is KlondikeKind.WASTE_UP:
            return [*moves, WASTE_UP]
        return [*moves, KlondikeMove(KlondikeKind.WASTE_DOWN, 0, _place(card, after, own))]
    if move.kind is KlondikeKind.DOWN:
        card = 4 * (line.foundations[move.source] - 1) + move.source
        if _is_settled(card, own):
            return None
        return [KlondikeMove(KlondikeKind.DOWN, move.source, _place(card, after, own))]
    if move.kind is KlondikeKind.UP:
        card = line.up[move.source][-1]
        if _is_up(card, own):
            return None
        return [KlondikeMove(KlondikeKind.UP, _column(card, own))]
    before = set(line.up[move.target])
    card = next(each for each in after.up[move.target] if each not in before)
    if _is_up(card, own):
        return None
    column = _column(card, own)
    if rank(card) == KING and own.up[column][0] == card and not own.down[column]:
        return None
    return [KlondikeMove(KlondikeKind.RUN, column, _place(card, after, own))]


def _column(card: int, position: KlondikePosition) -> int:
    return next(at for at, column in enumerate(position.up) if card in column)


def _place(card: int, after: KlondikePosition, own: KlondikePosition) -> int:
    """The column of the card under one, or an empty column for a king."""
    column = after.up[_column(card, after)]
    if column[0] == card:
        return next(at for at in range(7) if not own.up[at])
    return _column(column[column.index(card) - 1], own)
