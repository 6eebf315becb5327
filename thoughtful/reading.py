"""Arguments of callers: the name of a deal, a text in any format, JSON, or one of our objects."""

import json
from numbers import Integral
from typing import TYPE_CHECKING, Any

from engine.errors import BadInput
from engine.games import DEFAULT_RULESET

if TYPE_CHECKING:
    from engine.game import Rules
    from engine.intake import ReadEntry


def rules_of(named: str | None, wanted: str | None, what: str = "this") -> "Rules":
    """The ruleset of something that may name one itself.

    Args:
        named: what it names.
        wanted: what the caller asks for; None for whatever it names.
        what: for the sentence.

    Raises:
        BadInput: unknown ruleset, or two different ones.
    """
    from engine.rulesets import parse_ruleset

    if wanted is None or named is None:
        return parse_ruleset(wanted or named or DEFAULT_RULESET)
    ruleset = parse_ruleset(wanted)
    if parse_ruleset(named) != ruleset:
        raise BadInput(f"{what} is under {named}, not under {ruleset.slug}: leave rules out")
    return ruleset


def entry_of(
    given: str | dict[str, Any], rules: str | None, form: str | None = None
) -> "ReadEntry":
    """The deal or position that something shows.

    Raises:
        BadInput: it shows none, or one of another ruleset.
    """
    from engine.dealing.dealers import parse_deal_id
    from engine.intake import EntryReader, read_one
    from engine.rulesets import parse_ruleset

    if not isinstance(given, str | dict):
        raise BadInput(
            f"expected the name of a deal, a text or plain data, not {type(given).__name__}"
        )
    text = given if isinstance(given, str) else as_text(given)
    reader = EntryReader(parse_ruleset(rules or DEFAULT_RULESET), form, asked=rules is not None)
    if form is None and text.isidentifier():
        parse_deal_id(text)  # its error says what a name looks like
    return read_one(text, reader)


def whole(value: object, what: str, low: int, high: int) -> int:
    """A whole number within a range.

    Raises:
        BadInput: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, Integral):  # NumPy's are among these
        raise BadInput(f"{what} {value!r} is no whole number")
    number = int(value)
    if not low <= number <= high:
        raise BadInput(f"{what} {number} is out of range: expected {low:,} to {high:,}")
    return number


def span(
    given: int | tuple[int | None, int | None] | None, what: str, low: int, high: int
) -> tuple[int | None, int | None]:
    """The ends of a range that is given as a number or a pair.

    Raises:
        BadInput: it is neither, or runs backwards.
    """
    if given is None or isinstance(given, Integral):
        given = (given, given)
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise BadInput(f"{what} {given!r}: expected a number, or a pair of the least and the most")
    first, last = (None if each is None else whole(each, what, low, high) for each in given)
    if first is not None and last is not None and last < first:
        raise BadInput(f"{what} {given!r} runs backwards")
    return first, last


def seconds_of(value: float) -> float:
    """Seconds that may be waited for.

    Raises:
        BadInput: they are none.
    """
    if not isinstance(value, int | float) or not 0 <= value <= 1e9:
        raise BadInput(f"seconds {value!r} is out of range: expected 0 to 1,000,000,000")
    return float(value)


def as_text(data: dict[str, Any]) -> str:
    """Plain data as JSON.

    Raises:
        BadInput: they are none.
    """
    try:
        return json.dumps(data)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"this is no plain data: {error}") from None
