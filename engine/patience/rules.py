"""Rules of patience games: one type for games of columns, cells, reserve, stock, hole and rows.

The options are those of Solvitaire's rule language (Blake and Gent 2026, `engine.patience.language`
reads and writes it), and those that it lacks: a number of redeals, groups that move whatever their
order, what a group is laid onto, rows of the stock that are not dealt while a column is empty, and
foundations that begin with the other cards of the first card's rank.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from engine.cards import RANKS, card_name, parse_card, rank
from engine.errors import BadInput

Building = Literal["any-suit", "red-black", "same-suit", "no-build"]
Spaces = Literal[
    "any",
    "kings",
    "no-build",
    "auto-reserve-then-any",
    "auto-reserve-then-waste",
    "auto-waste-then-stock",
]
Groups = Literal["no", "yes", "whole-pile", "maximal-group", "any-order"]
GroupBuilding = Literal["same-as-build", "any-suit", "red-black", "same-suit"]
GroupsOnto = Literal["building", "group"]
FaceUp = Literal["all", "top"]
Founded = Literal["none", "one", "all", "others"]  # new ones last: `own_slugs`
StockTo = Literal["waste", "tableau piles", "hole"]
Direction = Literal["L", "R", "LR"]
Meeting = Literal["same-rank", "same-suit", "red-black", "any-suit"]
MEETINGS: tuple[Meeting, ...] = get_args(Meeting)
RANDOM = "random"
# Redeals without limit.
UNLIMITED = -1
MOST_COLUMNS, MOST_CELLS, MOST_RESERVE = 52, 20, 64


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a patience, and nothing else: two rulesets with the same options are one game.

    Options of a part that is not there have their usual values, whatever is given.

    Attributes:
        columns: number of columns of the tableau.
        building: what a card in a column takes on it, always the next lower rank, counted from the
            base of the foundations; with ``no-build`` nothing goes to any column, empty or not,
            but what is dealt or forced.
        spaces: what goes to an empty column. The policies ``auto-…`` force a move as long as a
            column is empty: the top of the reserve goes to the leftmost one; then, when the reserve
            is empty, any card, or, until no column is empty, only the waste's to any column; or
            first the waste's top, then the stock's, then any card.
        groups: which groups of cards move together: none; those in order, whole or a part; only a
            column that is one group; only as many as are in order; any cards from one on, whatever
            their order.
        group_building: what is in order for a group; ``same-as-build`` becomes `building`.
        groups_onto: what a group of two or more cards is laid onto in a column: a card on which its
            first card builds by `building`, or only one that continues the group in its order.
        diagonal: whether row r of the deal leaves out r columns, until all are dealt.
        column_sizes: number of cards of each column at the start; none where rows decide on it.
        face_up: which cards of the columns lie face up at the start.
        face_down: number of cards of each column that lie face down at the start; none where
            `face_up` decides on it.
        foundations: whether there are foundations, a suit each, ascending.
        founded: which of them begin with a card; ``others``, which Solvitaire does not have, are
            those of the other cards of the rank of the first column's first card.
        base: rank of their first card, or `RANDOM`; building then turns the corner.
        removable: whether cards may come back from them.
        complete_runs: whether only a whole run of a suit goes there, from any column that ends with
            one; single cards do not.
        hole: whether there is a hole, where a card goes that is one rank higher or lower.
        hole_base: the card that lies there at the start, or `RANDOM`.
        hole_loops: whether king and ace are neighbours there.
        cells: number of cells.
        cells_filled: how many of them hold a card at the start.
        stock: number of its cards.
        stock_to: where they go.
        deal_count: how many at a time, onto the waste.
        redeals: how often the waste becomes the stock again; `UNLIMITED` for any number.
        deal_onto_empty: whether a row is dealt onto the columns while one of them is empty.
        reserve: number of its cards.
        reserve_stacked: whether they lie in one pile, of which the last one can be moved.
        accordion: number of its piles at the start.
        accordion_moves: onto which pile one goes, such as ``L3``: the third to the left.
        accordion_building: what the two cards have in common; one of these suffices.
        sequences: number of rows of Gaps.
        sequence_direction: beside which neighbour a card goes into a gap: ``L`` to the right of its
            left neighbour, in ascending order.
        sequence_building: suits of neighbours.
        sequence_fixed_suit: whether each row has its suit.
        max_rank: the highest rank of the deck, as a number.
        two_decks: whether there are two decks.

    Raises:
        BadInput: an option is out of range, or does not go with another.
    """

    columns: int = 8
    building: Building = "any-suit"
    spaces: Spaces = "any"
    groups: Groups = "no"
    group_building: GroupBuilding = "same-as-build"
    groups_onto: GroupsOnto = "building"
    diagonal: bool = False
    column_sizes: tuple[int, ...] = ()
    face_up: FaceUp = "all"
    face_down: tuple[int, ...] = ()
    foundations: bool = True
    founded: Founded = "none"
    base: str = "A"
    removable: bool = False
    complete_runs: bool = False
    hole: bool = False
    hole_base: str = "AS"
    hole_loops: bool = True
    cells: int = 0
    cells_filled: int = 0
    stock: int = 0
    stock_to: StockTo = "waste"
    deal_count: int = 1
    redeals: int = 0
    deal_onto_empty: bool = True
    reserve: int = 0
    reserve_stacked: bool = False
    accordion: int = 0
    accordion_moves: tuple[str, ...] = ()
    accordion_building: tuple[Meeting, ...] = ()
    sequences: int = 0
    sequence_direction: Direction = "L"
    sequence_building: Building = "same-suit"
    sequence_fixed_suit: bool = False
    max_rank: int = 13
    two_decks: bool = False

    def __post_init__(self) -> None:
        for option in _USUAL:
            check_option(option, getattr(self, option))
        _settle(self)
        _check(self)

    @property
    def deck(self) -> int:
        """Number of cards of the deck, or of both."""
        return self.max_rank * 4 * self.decks

    @property
    def decks(self) -> int:
        """Number of decks."""
        return 2 if self.two_decks else 1

    @property
    def suits(self) -> int:
        """Number of foundations, if there are any: one for each suit of each deck."""
        return 4 * self.decks

    @property
    def cards(self) -> int:
        """Number of cards in play: all but those that an accordion leaves out."""
        return self.accordion or self.deck

    @property
    def on_foundations(self) -> int:
        """Number of cards that lie on foundations at the start."""
        return {"none": 0, "one": 1, "others": 3, "all": self.suits}[self.founded]

    @property
    def in_columns(self) -> int:
        """Number of cards that lie in the columns at the start."""
        if self.accordion or self.sequences:
            return 0
        return (
            self.deck
            - self.cells_filled
            - self.reserve
            - self.stock
            - self.on_foundations
            - int(self.hole)
        )


@dataclass(frozen=True, slots=True)
class PatienceRules:
    """A ruleset of the family: options with a name.

    Attributes:
        options: its options.
        slug: its name in commands and in the catalogue.
        title: its name for players.
        game: slug of the game; all rulesets of a game have the same zones.
    """

    options: Options
    slug: str
    title: str = field(compare=False)
    game: str

    def __str__(self) -> str:
        return self.slug


_USUAL = {field.name: field.default for field in fields(Options)}
CHOICES: dict[str, tuple[Any, ...]] = {
    "building": get_args(Building),
    "spaces": get_args(Spaces),
    "groups": get_args(Groups),
    "group_building": get_args(GroupBuilding),
    "groups_onto": get_args(GroupsOnto),
    "face_up": get_args(FaceUp),
    "founded": get_args(Founded),
    "base": (*RANKS, RANDOM),
    "stock_to": get_args(StockTo),
    "sequence_direction": get_args(Direction),
    "sequence_building": ("any-suit", "red-black", "same-suit"),
}
# No deck has more cards than two of 52.
MOST_CARDS = 104
RANGES = {
    "columns": (0, MOST_COLUMNS),
    "cells": (0, MOST_CELLS),
    "cells_filled": (0, MOST_CELLS),
    "stock": (0, MOST_CARDS),
    "deal_count": (1, MOST_CARDS),
    "redeals": (UNLIMITED, 100),
    "reserve": (0, MOST_CARDS),
    "accordion": (0, MOST_CARDS),
    "sequences": (0, 8),
    "max_rank": (1, 13),
}
_JUMP = re.compile(r"[LR][1-9][0-9]?", re.ASCII)
# Options that say nothing without another one.
_PARTS = {
    "columns": (
        *("building", "spaces", "groups", "group_building", "groups_onto"),
        *("diagonal", "column_sizes", "face_up", "face_down"),
    ),
    "foundations": ("founded", "base", "removable", "complete_runs"),
    "hole": ("hole_base", "hole_loops"),
    "cells": ("cells_filled",),
    "stock": ("stock_to", "deal_count", "redeals", "deal_onto_empty"),
    "reserve": ("reserve_stacked",),
    "accordion": ("accordion_moves", "accordion_building"),
    "sequences": ("sequence_direction", "sequence_building", "sequence_fixed_suit"),
}


def check_option(option: str, value: Any) -> None:
    """Check the value of an option by itself.

    Raises:
        BadInput: it is none of its values.
    """
    name, usual = option.replace("_", " "), _USUAL[option]
    if isinstance(usual, bool):
        if not isinstance(value, bool):
            raise BadInput(f"{name} must be true or false, not {value!r}")
    elif option in RANGES:
        low, high = RANGES[option]
        if type(value) is not int or not low <= value <= high:
            raise BadInput(f"{name} must be a whole number from {low} to {high}, not {value!r}")
    elif option in CHOICES:
        if not isinstance(value, str) or value not in CHOICES[option]:
            known = ", ".join(map(repr, CHOICES[option]))
            raise BadInput(f"{name} must be one of {known}, not {value!r}")
    elif option in ("column_sizes", "face_down"):
        for number in value if isinstance(value, tuple) else (value,):
            is_number = type(number) is int and 0 <= number <= MOST_CARDS
            if not isinstance(value, tuple) or not is_number or len(value) > MOST_COLUMNS:
                raise BadInput(
                    f"{name} must be whole numbers, one for each column, up to {MOST_CARDS}, "
                    f"not {number!r}"
                )
    elif option == "accordion_moves":
        _check_words(name, value, _is_jump, "such as 'L3' or 'R1'")
    elif option == "accordion_building":
        known = ", ".join(map(repr, MEETINGS))
        _check_words(name, value, lambda word: word in MEETINGS, f"of {known}")
    elif value != RANDOM and (not isinstance(value, str) or value not in map(card_name, range(52))):
        raise BadInput(f"{name} must be a card such as 'AS', or 'random', not {value!r}")


def _is_jump(word: str) -> bool:
    return _JUMP.fullmatch(word) is not None


def _jump_order(word: str) -> tuple[int, str]:
    return int(word[1:]), word


def _check_words(name: str, words: Any, known: Callable[[str], bool], expected: str) -> None:
    for word in words if isinstance(words, tuple) else (words,):
        if not isinstance(words, tuple) or not isinstance(word, str) or not known(word):
            raise BadInput(f"{name} must be words {expected}, not {word!r}")
    if len(words) > MOST_CARDS:
        raise BadInput(f"{name} are {MOST_CARDS} at most, not {len(words)}")
    if len(set(words)) < len(words):
        raise BadInput(f"{name} name one of {', '.join(words)} twice")


def _settle(options: Options) -> None:
    """Give options that say nothing their usual values."""
    idle = [
        option
        for part, dependent in _PARTS.items()
        if not getattr(options, part)
        for option in dependent
    ]
    if options.stock_to != "waste":
        idle += ["deal_count", "redeals"]
    if options.stock_to != "tableau piles":
        idle.append("deal_onto_empty")
    if options.groups in ("no", "any-order"):
        idle += ["group_building", "groups_onto"]
    for option in idle:
        object.__setattr__(options, option, _USUAL[option])
    for name, order in (("accordion_moves", _jump_order), ("accordion_building", MEETINGS.index)):
        object.__setattr__(options, name, tuple(sorted(getattr(options, name), key=order)))
    if options.group_building == "same-as-build":
        object.__setattr__(options, "group_building", options.building)
    if options.group_building == options.building:
        object.__setattr__(options, "groups_onto", "building")


def _check(options: Options) -> None:
    """Check that the options go together."""
    for wrong, sentence in _faults(options):
        if wrong:
            raise BadInput(sentence)


def _faults(o: Options) -> Iterator[tuple[bool, str]]:
    ends = [name for name in ("foundations", "hole", "accordion", "sequences") if getattr(o, name)]
    yield (
        len(ends) != 1,
        "a patience has exactly one of foundations, hole, accordion and sequences, not "
        + (" and ".join(ends) or "none of them"),
    )
    for name in ("accordion", "sequences"):
        others = [part for part in ("columns", "cells", "stock", "reserve") if getattr(o, part)]
        yield (
            bool(getattr(o, name) and others),
            f"{name} leave no cards for {' and '.join(others)}",
        )
    yield (
        o.accordion > o.deck,
        f"an accordion of {o.accordion} piles needs as many cards, and the deck has {o.deck}",
    )
    yield (
        bool(o.accordion) and not (o.accordion_moves and o.accordion_building),
        "an accordion needs at least one of accordion moves and one of accordion building",
    )
    yield (
        o.sequences not in (0, o.suits),
        f"sequences must be {o.suits}, a row for each suit of each deck, not {o.sequences}",
    )
    yield bool(o.sequences) and o.max_rank < 2, "sequences need a max rank of 2 at least"
    yield (
        o.cells_filled > o.cells,
        f"{o.cells_filled} cells cannot be filled where there are {o.cells}",
    )
    yield (
        o.in_columns < 0,
        f"hole, foundations, cells, stock and reserve begin with {o.deck - o.in_columns} cards, "
        f"and the deck has {o.deck}",
    )
    yield (
        o.in_columns > 0 and not o.columns,
        f"{o.in_columns} cards are left for the columns, and there are none",
    )
    yield (
        bool(o.column_sizes)
        and (len(o.column_sizes) != o.columns or sum(o.column_sizes) != o.in_columns),
        f"column sizes must be {o.columns} numbers of {o.in_columns} cards, "
        f"not {len(o.column_sizes)} of {sum(o.column_sizes)}",
    )
    yield bool(o.column_sizes) and o.diagonal, "column sizes do not go with a diagonal deal"
    yield (
        bool(o.face_down) and (len(o.face_down) != o.columns or o.face_up != "all"),
        f"face down must be {o.columns} numbers, and face up 'all' beside them",
    )
    yield (
        o.reserve > MOST_RESERVE and not o.reserve_stacked,
        f"a reserve has at most {MOST_RESERVE} piles, not {o.reserve}",
    )
    highest = RANKS[o.max_rank - 1]
    yield (
        o.base != RANDOM and RANKS.index(o.base) >= o.max_rank,
        f"the base {o.base} is higher than the highest rank, {highest}",
    )
    yield (
        o.hole_base != RANDOM and rank(parse_card(o.hole_base)) >= o.max_rank,
        f"the hole base {o.hole_base} is higher than the highest rank, {highest}",
    )
    yield (
        o.base == RANDOM and o.founded == "none",
        "a random base needs a card on a foundation from which it can be seen",
    )
    yield (
        o.founded == "others" and (o.base != RANDOM or o.two_decks or o.diagonal),
        "the 'others' begin foundations of one deck, dealt in rows, with a random base",
    )
    yield (
        o.founded == "others" and (o.stock > 0 or o.reserve > 0 or o.cells_filled > 0),
        "the 'others' begin foundations only where all other cards are dealt to columns",
    )
    yield (
        o.founded == "others" and o.column_sizes[:1] == (0,),
        "the first column cannot be empty where its first card says what begins the foundations",
    )
    yield (
        o.complete_runs and (o.removable or o.founded != "none"),
        "foundations of complete runs begin empty, and nothing comes back from them",
    )
    yield (
        o.building == "no-build" and o.groups != "no",
        "groups cannot move where building is 'no-build'",
    )
    yield (
        o.spaces.startswith("auto-reserve") and not o.reserve_stacked,
        f"spaces {o.spaces!r} need a stacked reserve",
    )
    yield (
        o.spaces == "auto-waste-then-stock" and not (o.stock and o.stock_to == "waste"),
        f"spaces {o.spaces!r} need a stock that goes to a waste",
    )
    yield (
        o.stock_to == "tableau piles" and not o.columns,
        "the stock cannot go to the tableau piles where there are none",
    )
    yield o.stock_to == "hole" and not o.hole, "the stock cannot go to a hole where there is none"
