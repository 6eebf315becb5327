"""Slugs of users' own rules, which hold all options: ``own-`` and a number to the base 36.

So a ruleset is known wherever its slug is: in a catalogue, a link, another process. The digits of
the number are, for each option that is not as usual, the option's place among all and its value's
among the option's; of a list its length and its items. So that a slug keeps its meaning, options
and values are only ever added at the end.
"""

from collections.abc import Iterator
from dataclasses import fields
from functools import lru_cache
from typing import Any

from engine.cards import card_name
from engine.errors import BadInput
from engine.patience.rules import CHOICES, MEETINGS, MOST_CARDS, RANDOM, RANGES, Options

PREFIX = "own-"
# As many characters as a catalogue stores of a slug.
LONGEST = 120
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
# Radices, with room for what may be added: of options, of their values and lengths, of items.
_OPTIONS, _VALUES, _ITEMS = 64, 128, 256
_JUMPS = [f"{side}{steps}" for steps in range(1, MOST_CARDS) for side in "LR"]
_LISTED: dict[str, list[Any]] = {
    "column_sizes": list(range(MOST_CARDS + 1)),
    "face_down": list(range(MOST_CARDS + 1)),
    "accordion_moves": _JUMPS,
}


def slug_of(options: Options) -> str:
    """The slug of options.

    Raises:
        BadInput: it would be longer than a catalogue can store.
    """
    number = 0
    for digit, radix in reversed(list(_digits(options))):
        number = number * radix + digit
    text = ""
    while number:
        number, digit = divmod(number, 36)
        text = _DIGITS[digit] + text
    slug = f"{PREFIX}{text or '0'}"
    if len(slug) > LONGEST:
        raise BadInput("these rules say too much of single columns to have a name")
    return slug


@lru_cache(maxsize=1024)
def options_of(slug: str) -> Options | None:
    """The options of a slug; None if it is none of users' own rules.

    Raises:
        BadInput: the options do not go together, or are no longer as `slug_of` writes them.
    """
    text = slug.removeprefix(PREFIX)
    if text == slug or not text or len(slug) > LONGEST or not set(text) <= set(_DIGITS):
        return None
    number = int(text, 36)
    given: dict[str, Any] = {}
    wrong = BadInput(f"{slug!r} is no slug of rules")
    while number:
        number, at = divmod(number, _OPTIONS)
        number, digit = divmod(number, _VALUES)
        if at >= len(_NAMES):
            raise wrong
        name = _NAMES[at]
        if name not in _LISTED:
            if digit >= len(_KNOWN[name]):
                raise wrong
            given[name] = _KNOWN[name][digit]
            continue
        items = []
        for _ in range(digit):
            number, item = divmod(number, _ITEMS)
            if item >= len(_LISTED[name]):
                raise wrong
            items.append(_LISTED[name][item])
        given[name] = tuple(items)
    options = Options(**given)
    if slug_of(options) != slug:
        raise wrong
    return options


def _digits(options: Options) -> Iterator[tuple[int, int]]:
    """The digits of options, the least significant first, each with its radix."""
    for at, name in enumerate(_NAMES):
        value = getattr(options, name)
        if name == "group_building" and value == options.building:
            value = "same-as-build"
        if name in _LISTED:
            if value:
                yield at, _OPTIONS
                yield len(value), _VALUES
                yield from ((_LISTED[name].index(item), _ITEMS) for item in value)
        elif value != _KNOWN[name][0]:
            yield at, _OPTIONS
            yield _KNOWN[name].index(value), _VALUES


def _known() -> dict[str, list[Any]]:
    """The values of each option that is no list, the usual one first."""
    found = {}
    for field in fields(Options):
        name, usual = field.name, field.default
        known: list[Any]
        if name in _LISTED:
            continue
        if isinstance(usual, bool):
            known = [False, True]
        elif name in RANGES:
            known = list(range(RANGES[name][0], RANGES[name][1] + 1))
        elif name == "hole_base":
            known = [RANDOM, *map(card_name, range(52))]
        elif name == "accordion_building":
            known = [
                tuple(each for at, each in enumerate(MEETINGS) if chosen >> at & 1)
                for chosen in range(1 << len(MEETINGS))
            ]
        else:
            known = list(CHOICES[name])
        found[name] = [usual, *(value for value in known if value != usual)]
    return found


_NAMES = [field.name for field in fields(Options)]
_KNOWN = _known()
