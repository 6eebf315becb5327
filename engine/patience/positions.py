"""Positions of patience games out of plain data, also where only a part of the cards is seen."""

from collections import Counter
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from engine.cards import HIDDEN, RANKS, card_name, make_card, parse_cards, rank, suit
from engine.errors import BadInput
from engine.patience.deal import check_cards, read_place
from engine.patience.layout import layout_of
from engine.patience.referee import PatiencePosition, Pile, Places
from engine.patience.rules import RANDOM, UNLIMITED, Options, PatienceRules


def position_from_json(data: Any, rules: PatienceRules) -> PatiencePosition:
    """Read the data of `PatiencePosition.to_json`.

    Raises:
        BadInput: a part is missing or malformed, or the cards cannot lie so.
    """
    o = rules.options
    if not isinstance(data, dict):
        raise BadInput(f"a position is a JSON object with its parts, not {str(data)[:60]}")
    down = _piles(data, "down", o.columns)
    up = _piles(data, "up", o.columns)
    for number, (under, over) in enumerate(zip(down, up, strict=True), start=1):
        if under and not over:
            raise BadInput(f"column {number} has face-down cards but none face up")
        if under and not any(layout_of(o).face_down):
            raise BadInput(f"column {number} has face-down cards: all lie face up in this game")
    stacked = o.reserve > 0 and o.reserve_stacked
    places = () if stacked or not o.reserve else _some_places(data, "reserve", o.reserve)
    rows = _list(data, "rows", o.sequences) if o.sequences else []
    position = PatiencePosition(
        rules,
        tuple((*under, *over) for under, over in zip(down, up, strict=True)),
        tuple(map(len, down)),
        _some_places(data, "cells", o.cells) if o.cells else (),
        (_pile(data, "reserve"),) if stacked else tuple(() if c is None else (c,) for c in places),
        _pile(data, "stock") if o.stock else (),
        _pile(data, "waste") if o.stock and o.stock_to == "waste" else (),
        base=_base(data, o),
        hole=_pile(data, "hole") if o.hole else (),
        accordion=tuple(_piles(data, "accordion", None)) if o.accordion else (),
        rows=tuple(tuple(_places({"rows": row}, "rows", o.max_rank)) for row in rows),
        redealt=_redealt(data, o),
    )
    tops = _places(data, "foundations", o.suits) if o.foundations else ()
    heights = tuple(_height(card, at, position.base, o) for at, card in enumerate(tops))
    object.__setattr__(position, "foundations", heights)
    _check(position)
    return position


def _list(data: Mapping[str, Any], key: str, size: int | None) -> list[Any]:
    value = data.get(key)
    if not isinstance(value, list) or (size is not None and len(value) != size):
        wanted = "a list" if size is None else f"a list of {size}"
        raise BadInput(f'"{key}" must be {wanted}, not {str(value)[:60]}')
    return value


def _pile(data: Mapping[str, Any], key: str) -> Pile:
    return tuple(parse_cards(_list(data, key, None)))


def _piles(data: Mapping[str, Any], key: str, size: int | None) -> list[Pile]:
    if size == 0:
        return []
    return [_pile({key: pile}, key) for pile in _list(data, key, size)]


def _places(data: Mapping[str, Any], key: str, size: int) -> Places:
    return tuple(map(read_place, _list(data, key, size)))


def _some_places(data: Mapping[str, Any], key: str, size: int) -> Places:
    """Places, of which the last ones may be left out if they are empty, or all of them."""
    if key not in data:
        return (None,) * size
    given = data[key]
    if isinstance(given, list) and 0 < len(given) < size:
        return (*map(read_place, given), *(None,) * (size - len(given)))
    return _places(data, key, size)


def _base(data: Mapping[str, Any], o: Options) -> int:
    if o.base != RANDOM:
        return RANKS.index(o.base)
    base = data.get("base")
    if not isinstance(base, str) or len(base) != 1 or base not in RANKS[: o.max_rank]:
        raise BadInput(f'"base" must be a rank of {RANKS[: o.max_rank]}, not {base!r}')
    return RANKS.index(base)


def _redealt(data: Mapping[str, Any], o: Options) -> int:
    most = 1 if o.redeals == UNLIMITED else o.redeals
    redealt = data.get("redealt", 0)
    if type(redealt) is not int or not 0 <= redealt <= most:
        raise BadInput(f'"redealt" must be a whole number from 0 to {most}, not {redealt!r}')
    return redealt


def _height(card: int | None, at: int, base: int, o: Options) -> int:
    if card is None:
        return 0
    if suit(card) != at % 4 or rank(card) >= o.max_rank:
        raise BadInput(
            f"{card_name(card)} cannot lie on foundation {at + 1}: expected the last card of each "
            "of clubs, diamonds, spades and hearts, or -"
        )
    return (rank(card) - base) % o.max_rank + 1


def _check(position: PatiencePosition) -> None:
    o = position.rules.options
    cards = list(_cards(position))
    if o.sequences:
        gaps = sum(row.count(None) for row in position.rows)
        if gaps != o.suits or any(rank(card) == 0 for card in cards):
            raise BadInput(f"the rows have {gaps} gaps: expected {o.suits}, one for each ace")
        cards += [ace % 4 for ace in range(o.suits)]
    check_cards(cards, o, "the position")
    if o.hole and not position.hole:
        raise BadInput("the hole is never empty")
    if any(not pile for pile in position.accordion):
        raise BadInput("a pile of the accordion is empty: it is left out")
    if len(position.stock) + len(position.waste) > o.stock:
        raise BadInput(f"stock and waste hold at most {o.stock} cards")
    if sum(map(len, position.reserve)) > o.reserve:
        raise BadInput(f"the reserve holds at most {o.reserve} cards")
    if o.complete_runs and any(height % o.max_rank for height in position.foundations):
        raise BadInput("foundations take whole runs only")


def _cards(position: PatiencePosition) -> Iterator[int]:
    """All cards of a position but the aces of Gaps."""
    o = position.rules.options
    for pile in (*position.columns, *position.reserve, *position.accordion):
        yield from pile
    yield from (*position.stock, *position.waste, *position.hole)
    for place in (*position.cells, *(card for row in position.rows for card in row)):
        if place is not None:
            yield place
    for at, height in enumerate(position.foundations):
        for above in range(height):
            yield make_card((position.base + above) % o.max_rank, at % 4)


def is_position_json(data: Mapping[str, Any]) -> bool:
    """Whether a JSON object shows a position and not a starting deal."""
    piles, rows = data.get("accordion"), data.get("rows")
    return (
        "up" in data
        or (isinstance(piles, list) and any(isinstance(pile, list) for pile in piles))
        or (isinstance(rows, list) and any(isinstance(row, list) and "-" in row for row in rows))
    )


def fill_in(data: Mapping[str, Any], rules: PatienceRules, random: Random) -> PatiencePosition:
    """A position that agrees with an observation, drawn from all of these with equal chances.

    Args:
        data: as of `PatiencePosition.observation`, ``??`` for each card that is not seen.
        rules: the ruleset.
        random: draws the cards.

    Raises:
        BadInput: the data show no position, or not as many cards are hidden as are missing.
    """
    o = rules.options
    seen: Counter[int] = Counter()
    hidden = 0
    for key in ("down", "up", "cells", "reserve", "stock", "waste", "hole"):
        for text in _leaves(data.get(key)):
            if text == HIDDEN:
                hidden += 1
            else:
                card = read_place(text)
                seen.update([] if card is None else [card])
    if not hidden:
        return position_from_json(data, rules)
    tops = _places(data, "foundations", o.suits) if o.foundations else ()
    base = _base(data, o)
    for at, top in enumerate(tops):
        for above in range(_height(top, at, base, o)):
            seen[make_card((base + above) % o.max_rank, at % 4)] += 1
    deck = Counter(dict.fromkeys(range(4 * o.max_rank), o.decks))
    unseen = sorted((deck - seen).elements())
    if len(unseen) != hidden:
        raise BadInput(f"{hidden} cards are {HIDDEN}, but {len(unseen)} are not seen anywhere")
    random.shuffle(unseen)
    names = map(card_name, unseen)
    return position_from_json(_filled(data, names), rules)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    elif value is not None:
        yield value


def _filled(value: Any, names: Iterator[str]) -> Any:
    """The data with a name in place of each ``??``."""
    if isinstance(value, Mapping):
        return {key: _filled(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, names) for each in value]
    return next(names) if value == HIDDEN else value
