"""Late positions of Spider, for comparisons with naive searches."""

from itertools import pairwise
from random import Random

from engine.cards import KING, make_card, rank
from engine.spider.deal import COLUMNS, RUNS
from engine.spider.referee import SpiderPosition
from engine.spider.rules import SpiderRules

_SUITS = {1: (2,), 2: (2, 3), 4: (0, 1, 2, 3)}


def late_position(rules: SpiderRules, chooser: Random) -> SpiderPosition:
    """A position of one of two kinds, its cards anywhere, some in rows that are still to come.

    Of one to three runs that are not completed, in long pieces, many can be won; of five to eight,
    in short pieces on all columns, few moves lead anywhere.
    """
    is_open = chooser.random() < 0.5
    left = chooser.choice((1, 1, 2, 3) if is_open else (5, 6, 7, 8))
    lengths = (3, 5, 8, 12) if is_open else (1, 1, 1, 2)
    suits = [_SUITS[rules.suits][at % rules.suits] for at in range(RUNS)]
    chooser.shuffle(suits)
    completed = [0, 0, 0, 0]
    for suit in suits[left:]:
        completed[suit] += 1
    pieces: list[list[int]] = []
    for suit in suits[:left]:
        cards = [make_card(rank, suit) for rank in range(KING, -1, -1)]
        at = 0
        while at < len(cards):
            count = chooser.choice(lengths)
            pieces.append(cards[at : at + count])
            at += count
    chooser.shuffle(pieces)
    stock: list[tuple[int, ...]] = []
    for _ in range(chooser.choice((0, 0, 0, 1, 2))):
        loose = [card for piece in pieces for card in piece]
        if len(loose) >= 2 * COLUMNS:
            row = _row(loose, is_open, chooser)
            stock.append(tuple(loose[at] for at in row))
            taken = set(row)
            pieces = _without(pieces, taken)
    columns: list[list[int]] = [[] for _ in range(COLUMNS)]
    used = chooser.sample(columns, chooser.choice((2, 4, 8)) if is_open else COLUMNS)
    for number, piece in enumerate(pieces):
        column = used[number] if number < len(used) else chooser.choice(used)
        column.extend(piece)
    if not is_open:
        # Few tops fit on one another.
        of_three = chooser.randrange(3)
        for column in columns:
            fitting = [at for at, card in enumerate(column) if card // 4 % 3 == of_three]
            if fitting and chooser.random() < 0.8:
                column.append(column.pop(chooser.choice(fitting)))
    down = [chooser.randint(0, max(len(column) - 1, 0)) for column in columns]
    if is_open and chooser.random() < 0.5:
        down = [0] * COLUMNS
    position = SpiderPosition(
        rules,
        tuple(tuple(column[:count]) for column, count in zip(columns, down, strict=True)),
        tuple(tuple(column[count:]) for column, count in zip(columns, down, strict=True)),
        (completed[0], completed[1], completed[2], completed[3]),
        tuple(stock),
    )
    # A whole run would have left the table.
    is_real = not any(map(_has_whole_run, position.up))
    return position if is_real else late_position(rules, chooser)


def _row(cards: list[int], is_open: bool, chooser: Random) -> list[int]:
    """The places of the cards of a row, of three ranks only in positions that are not open."""
    ranks = chooser.sample(range(13), 13 if is_open else 3)
    fitting = [at for at, card in enumerate(cards) if card // 4 in ranks]
    return chooser.sample(fitting if len(fitting) >= COLUMNS else range(len(cards)), COLUMNS)


def _has_whole_run(cards: tuple[int, ...]) -> bool:
    length = 1
    for below, above in pairwise(cards):
        length = length + 1 if below == above + 4 else 1
        if length > KING:
            return True
    return False


def _without(pieces: list[list[int]], taken: set[int]) -> list[list[int]]:
    """The pieces without the cards at some places, counted through all of them."""
    found, at = [], 0
    for piece in pieces:
        kept = [card for number, card in enumerate(piece, at) if number not in taken]
        at += len(piece)
        if kept:
            found.append(kept)
    return found


def reached(position: SpiderPosition, most: int = 10**9) -> set[SpiderPosition]:
    """All positions that legal moves lead to from one, or the first ones, more than `most`."""
    met, open_ = {position}, [position]
    while open_ and len(met) <= most:
        here = open_.pop()
        for move in here.legal_moves():
            after = here.play(move)
            if after not in met:
                met.add(after)
                open_.append(after)
    return met


def naive_stuck(position: SpiderPosition) -> list[int] | None:
    """The dead-end test as its proof has it, rule by rule on sets: cards left in each column."""
    columns = [(*down, *up) for down, up in zip(position.down, position.up, strict=True)]
    left = [len(column) for column in columns]
    runs = [_run_below(position, at) for at in range(COLUMNS)]
    row_cards = {card for row in position.stock for card in row}
    gone: set[tuple[int, int]] = set()
    while min(left) > 0:
        tops = {(at, left[at] - 1) for at in range(COLUMNS)}
        met_ranks = {rank(columns[at][level]) for at, level in tops | gone} | set(
            map(rank, row_cards)
        )
        more = None
        for at in range(COLUMNS):
            top = left[at] - 1
            for level in range(runs[at][top], top + 1):
                if rank(columns[at][level]) + 1 in met_ranks:
                    more = at, level
                    break
            if more:
                break
        if more is None:
            return left
        at, level = more
        gone |= {(at, each) for each in range(level, left[at])}
        left[at] = level
    return None


def _run_below(position: SpiderPosition, at: int) -> list[int]:
    """Of each card of a column, the level where the face-up run in suit that it ends begins."""
    cards, down = (*position.down[at], *position.up[at]), len(position.down[at])
    begins: list[int] = []
    for level, card in enumerate(cards):
        goes_on = level > down and cards[level - 1] == card + 4
        begins.append(begins[-1] if goes_on else level)
    return begins
