"""Late positions of patience games with columns, for comparisons with naive searches."""

from random import Random

from engine.cards import RANKS
from engine.patience.referee import PatiencePosition
from engine.patience.rules import RANDOM, PatienceRules


def late_position(rules: PatienceRules, chooser: Random, most: int) -> PatiencePosition:
    """A position with at most about `most` cards that are not on foundations, anywhere else."""
    o = rules.options
    base = chooser.randrange(o.max_rank) if o.base == RANDOM else RANKS.index(o.base)
    heights = [o.max_rank] * o.suits
    if o.complete_runs:
        for _ in range(max(1, most // o.max_rank)):
            heights[chooser.randrange(o.suits)] = 0
    else:
        for _ in range(chooser.randint(2, most)):
            pile = chooser.randrange(o.suits)
            heights[pile] = max(heights[pile] - chooser.choice((1, 1, 2)), 0)
    for suit in range(4):
        # Of two foundations of a suit the first has at least as many cards.
        piles = sorted(heights[suit::4], reverse=True)
        heights[suit::4] = piles
    cards = [
        (base + level) % o.max_rank * 4 + pile % 4
        for pile, height in enumerate(heights)
        for level in range(height, o.max_rank)
    ]
    chooser.shuffle(cards)

    def some(room: int) -> tuple[int, ...]:
        count = chooser.randint(0, min(room, len(cards)))
        taken = tuple(cards[:count])
        del cards[:count]
        return taken

    cells = some(o.cells) if o.columns else ()
    held = some(o.reserve)
    reserve: tuple[tuple[int, ...], ...] = (held,)
    if not o.reserve_stacked:
        reserve = tuple((card,) for card in held)
        reserve += ((),) * (o.reserve - len(reserve))
    drawn = some(o.stock)
    in_waste = chooser.randint(0, len(drawn)) if o.stock_to == "waste" else 0
    columns: list[list[int]] = [[] for _ in range(o.columns)]
    used = columns[: chooser.randint(1, o.columns)]
    while cards:
        chooser.choice(used).append(cards.pop())
    chooser.shuffle(columns)
    hidden = o.face_up == "top" or any(o.face_down)
    down = [chooser.randint(0, max(len(column) - 1, 0)) * hidden for column in columns]
    redealt = chooser.randint(0, o.redeals) if o.redeals > 0 else 0
    return PatiencePosition(
        rules,
        tuple(map(tuple, columns)),
        tuple(down),
        (*cells, *(None,) * (o.cells - len(cells))),
        reserve if o.reserve else (),
        drawn[in_waste:],
        drawn[:in_waste],
        tuple(heights),
        base,
        redealt=redealt,
    )
