"""Plan of a ruleset: the options of a patience as one array of whole numbers, for kernels.

A *row* is a position: int8[`plan[ROW]`], with these parts, whose places are in the plan.

| part       | meaning                                                                        |
|------------|--------------------------------------------------------------------------------|
| 0 + c      | of card c in a column, the card under it, or `NONE`; on foundation p, `UP` + p |
| `COLUMN`   | of card c, its column, where it is the last one there; `DOWN` if it lies face  |
|            | down                                                                           |
| `TOP`      | of each column its last card, or `NONE`                                        |
| `CELLS`    | of each cell its card, or `NONE`                                               |
| `RESERVE`  | of each pile its card, or `NONE`; a stacked one from the bottom                |
| `HEIGHTS`  | of each foundation how many cards lie there, two decks have eight              |
| `STOCK`    | the cards of waste and stock in the order in which they are dealt              |
| `COUNTS`   | how many of them are left, how many of these lie in the waste, redeals left,   |
|            | cards of a stacked reserve                                                     |

Cards are 0..51, and 52..103 their twins of a second deck.
"""

from functools import lru_cache
from random import Random

import numpy as np
from numpy.typing import NDArray

from engine.kernels.compiler import COMPILED
from engine.patience.rules import Options

# NumPy's scalars of eight bits overflow without the compiler.
ROW_TYPE = np.int8 if COMPILED else np.int64
NONE, DOWN, UP = -1, -2, 104
# Of the numbers of cards by which positions are known.
KEY_SEED = 41
# Redeals left that never end.
ENDLESS = 127

_FIELDS = (
    "CARDS", "DECKS", "COLUMNS", "CELLS_COUNT", "RESERVE_COUNT", "STACKED", "SUITS", "MAX_RANK",
    "BUILDING", "GROUP_BUILDING", "SPACES", "GROUPS", "ONTO_GROUP", "REMOVABLE", "RUNS",
    "STOCK_TO", "DEAL_COUNT", "REDEALS", "ONTO_EMPTY", "BASE",
    "SAFE", "BUILD", "JUMPS", "WHOLE_KEY", "SUPERMOVES",
    "COLUMN", "TOP", "CELLS", "RESERVE", "HEIGHTS", "STOCK", "COUNTS", "ROW",
    "WEIGHTS",
)  # fmt: skip
(
    CARDS, DECKS, COLUMNS, CELLS_COUNT, RESERVE_COUNT, STACKED, SUITS, MAX_RANK,
    BUILDING, GROUP_BUILDING, SPACES, GROUPS, ONTO_GROUP, REMOVABLE, RUNS,
    STOCK_TO, DEAL_COUNT, REDEALS, ONTO_EMPTY, BASE,
    SAFE, BUILD, JUMPS, WHOLE_KEY, SUPERMOVES,
    COLUMN, TOP, CELLS, RESERVE, HEIGHTS, STOCK, COUNTS, ROW,
    WEIGHTS,
) = range(len(_FIELDS))  # fmt: skip
# Behind the fields: weights of the value; of each card its rank counted from the base, its number
# for keys face up and face down, the cards on which it builds, and their faces, by either policy.
WEIGHT_COUNT = 11
RANK = WEIGHTS + WEIGHT_COUNT
KEY = RANK + 104
KEY_DOWN = KEY + 104
PLACE_KEY = KEY_DOWN + 104
KEYED_PLACES = 408
PARENTS = PLACE_KEY + KEYED_PLACES
GROUP_PARENTS = PARENTS + 104 * 8
PARENT_SET = GROUP_PARENTS + 104 * 8
GROUP_PARENT_SET = PARENT_SET + 104
PLAN = GROUP_PARENT_SET + 104

# Counts of a row.
LEFT, WASTE, REDEALS_LEFT, RESERVE_LEFT = range(4)

ANY_SUIT, RED_BLACK, SAME_SUIT, NO_BUILD = range(4)
BUILDINGS = ("any-suit", "red-black", "same-suit", "no-build")
ANY, KINGS, NO_SPACES, RESERVE_ANY, RESERVE_WASTE, WASTE_STOCK = range(6)
SPACE_NAMES = (
    *("any", "kings", "no-build", "auto-reserve-then-any", "auto-reserve-then-waste"),
    "auto-waste-then-stock",
)
SINGLE, PARTS, WHOLE_PILE, MAXIMAL, ANY_ORDER = range(5)
GROUP_NAMES = ("no", "yes", "whole-pile", "maximal-group", "any-order")
NO_STOCK, TO_WASTE, TO_TABLEAU = range(3)

# Of `SAFE`: nothing goes up by itself; what nothing can lie on any more; what could hold only cards
# that can go up at once. `COVERED` besides: only from cells, and from columns that stay filled.
NEVER, STRICT, LOOSE = range(3)
COVERED = 4
# Of `BUILD`: none goes onto another by itself; onto what lies in order from a king at the bottom;
# onto any.
NO_BUILDS, KING_BUILDS, ALL_BUILDS = range(3)

# Places of `PLACE_KEY` behind those of cards 0..103.
CELL_PLACE, RESERVE_PLACE, STOCK_PLACE, FLOOR_PLACE = 104, 105, 106, 110
WASTE_PLACE, REDEAL_PLACE = 180, 300


def _contains(loose: str, strict: str) -> bool:
    """Whether a building policy allows all that another one does."""
    return loose in (strict, "any-suit")


def safe_rule(options: Options) -> int:
    """Which cards go up by themselves; the proof is in `docs/search/patience.md`."""
    o = options
    automatic = o.spaces.startswith("auto-")
    deals_rows = o.stock > 0 and o.stock_to == "tableau piles"
    if o.two_decks or o.complete_runs or (automatic and o.removable):
        return NEVER
    loose_groups = o.groups == "any-order" or not (
        o.groups == "no" or _contains(o.building, o.group_building)
    )
    if deals_rows and (
        loose_groups or not o.deal_onto_empty or o.groups in ("whole-pile", "maximal-group")
    ):
        return NEVER
    if loose_groups and o.removable:
        return NEVER
    covered = COVERED if o.spaces in ("auto-reserve-then-waste", "auto-waste-then-stock") else 0
    return covered | (STRICT if loose_groups else LOOSE)


def build_rule(options: Options) -> int:
    """Which cards go onto the next one of their suit by themselves; proved as `safe_rule`."""
    o = options
    groups_move = o.groups == "yes" and o.group_building == "same-suit"
    if (
        o.building != "same-suit"
        or o.two_decks
        or o.complete_runs
        or o.cells
        or o.spaces.startswith("auto-")
        or (o.stock and o.stock_to == "tableau piles")
    ):
        return NO_BUILDS
    if groups_move:
        return ALL_BUILDS
    return KING_BUILDS if o.groups == "no" else NO_BUILDS


def draw_keys(plan: NDArray[np.int64], seed: int) -> Random:
    """Draw the numbers of cards for keys; returns the generator, for further ones."""
    random = Random(seed)
    numbers = [[random.getrandbits(62) for _ in range(52)] for _ in range(2)]
    for card in range(104):
        plan[KEY + card] = numbers[0][card % 52]
        plan[KEY_DOWN + card] = numbers[1][card % 52]
    return random


@lru_cache(maxsize=64)
def _new_plan(options: Options) -> NDArray[np.int64]:
    o = options
    plan = np.zeros(PLAN, dtype=np.int64)
    stock_to = {"waste": TO_WASTE, "tableau piles": TO_TABLEAU}[o.stock_to] if o.stock else NO_STOCK
    own_piles = 1 if o.reserve_stacked else o.reserve
    automatic = o.spaces == "auto-waste-then-stock"
    cards = 52 * (o.decks - 1) + 4 * o.max_rank
    for field, value in {
        CARDS: cards,
        DECKS: o.decks,
        COLUMNS: o.columns,
        CELLS_COUNT: o.cells,
        RESERVE_COUNT: own_piles,
        STACKED: int(o.reserve_stacked),
        SUITS: o.suits,
        MAX_RANK: o.max_rank,
        BUILDING: BUILDINGS.index(o.building),
        GROUP_BUILDING: BUILDINGS.index(o.group_building),
        SPACES: SPACE_NAMES.index(o.spaces),
        GROUPS: GROUP_NAMES.index(o.groups),
        ONTO_GROUP: int(o.groups_onto == "group"),
        REMOVABLE: int(o.removable),
        RUNS: int(o.complete_runs),
        STOCK_TO: stock_to,
        DEAL_COUNT: o.deal_count,
        REDEALS: ENDLESS if o.redeals < 0 else o.redeals,
        ONTO_EMPTY: int(o.deal_onto_empty),
        SAFE: safe_rule(o),
        BUILD: build_rule(o),
        JUMPS: int(stock_to == TO_WASTE and not automatic),
        WHOLE_KEY: int(o.two_decks or stock_to == TO_TABLEAU),
        SUPERMOVES: int(o.groups == "no" and o.spaces in ("any", "kings", "no-build")),
    }.items():  # fmt: skip
        plan[field] = value
    at = cards
    for part, size in (
        (COLUMN, cards),
        (TOP, o.columns),
        (CELLS, o.cells),
        (RESERVE, o.reserve),
        (HEIGHTS, 8),
        (STOCK, o.stock),
        (COUNTS, 4),
    ):
        plan[part] = at
        at += size
    plan[ROW] = -(-at // 8) * 8
    random = draw_keys(plan, KEY_SEED)
    for place in range(KEYED_PLACES):
        plan[PLACE_KEY + place] = random.getrandbits(62)
    for card in range(cards):
        for table, faces, policy in (
            (PARENTS, PARENT_SET, o.building),
            (GROUP_PARENTS, GROUP_PARENT_SET, o.group_building),
        ):
            parents = _parents(card % 52, policy, o.max_rank, o.decks)
            plan[table + 8 * card : table + 8 * card + 8] = parents + [-1] * (8 - len(parents))
            plan[faces + card] = sum({1 << parent % 52 for parent in parents})
    plan.setflags(write=False)
    return plan


def _parents(card: int, policy: str, max_rank: int, decks: int) -> list[int]:
    """The cards on which a card builds, whatever the base is."""
    suit = card & 3
    # By policy, in what the suits of the two cards may differ.
    differences = {
        "any-suit": (0, 1, 2, 3),
        "red-black": (1, 3),
        "same-suit": (0,),
        "no-build": (),
    }[policy]
    above = (card // 4 + 1) % max_rank
    return [
        52 * deck + 4 * above + (suit ^ difference)
        for deck in range(decks)
        for difference in differences
    ]


def new_plan(options: Options) -> NDArray[np.int64]:
    """The plan of a ruleset, int64[PLAN], to be written to: a deal sets its base."""
    return _new_plan(options).copy()
