"""Numbers for people: digits without an exponent, small chances as one in a number of games.

A chance of 0.0000077 % says nothing to anybody, "less than one game in ten million" does.

Also the way back: numbers that people wrote.
"""

from math import floor, isfinite, log10

_POWERS = {
    4: "ten thousand",
    5: "a hundred thousand",
    6: "a million",
    7: "ten million",
    8: "a hundred million",
    9: "a billion",
    10: "ten billion",
    11: "a hundred billion",
    12: "a trillion",
}
# Below it a chance is not said in per cent.
_RARE = 0.001
# Below it a probability is not said as a fraction.
_TINY = 0.0001
# Most decimals of a percentage.
_DECIMALS = 6
# Below it a chance is not told but by a bound.
_RAREST = 1e-7


def significant(number: float, digits: int = 3) -> str:
    """A number with its significant digits, and with all digits before the point.

    ``0.00123``, ``1.5``, ``12,345``; never with an exponent.
    """
    if number == 0 or not isfinite(number):
        return f"{number:,.0f}"
    places = digits - 1 - floor(log10(abs(number)))
    text = f"{number:,.{max(places, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def per_cent(share: float, digits: int) -> str:
    """A share of 0 to 1 in per cent, without the sign.

    It has more decimals than asked for where it would be rounded to 0 or 100 and is neither:
    ``99.997``, and ``> 99.999999`` where `_DECIMALS` do not suffice.
    """
    ends = [f"{end:.{digits}f}" for end in (0, 100)]
    text = f"{100 * share:.{digits}f}"
    if text not in ends or share in (0, 1):
        return text
    for places in range(digits + 1, _DECIMALS + 1):
        text = f"{100 * share:.{places}f}"
        if 0 < float(text) < 100:
            return text
    least = 10**-_DECIMALS
    return f"< {least:.{_DECIMALS}f}" if share < 0.5 else f"> {100 - least:.{_DECIMALS}f}"


def counted(number: int, noun: str) -> str:
    """A number of things, ``1 deal`` or ``12,345 deals``, of a noun with a regular plural."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def probability(value: float) -> str:
    """A probability such as a p-value: ``0.012``, or ``1 in 590,000,000`` where it is tiny."""
    if value >= _TINY:
        return significant(value)
    if value < 1e-15:
        return "less than 1 in 1,000,000,000,000,000"
    return f"1 in {_two_digits(1 / value)}"


def p_value(value: float) -> str:
    """A p-value: ``p = 0.012``, ``p = 1 in 590,000,000``, or ``p < 1 in …``."""
    return f"p = {probability(value)}".replace("= less than", "<")


def chance(value: float | None, error: float | None, most: float) -> str:
    """A chance in short: ``1.3 ± 0.1 %``, ``1 in 240``, ``< 1 in ten million``.

    Args:
        value: its estimate; None if there is none but a bound.
        error: the standard error; None without an estimate, or if it is exact.
        most: what it is at most, as far as can be told.
    """
    if value is not None and value >= _RARE and value < 1 - _RARE:
        return _per_cent(value, error)
    if value is not None and value >= _RARE:
        return "> 99.9 %"
    if value is None or most < _RAREST or (error is not None and 2 * error > value):
        return f"< 1 in {_bound(most)}"
    return f"1 in {_two_digits(1 / value)}"


def games_won(value: float | None, error: float | None, most: float) -> str:
    """The same as a number of games, as in "it wins about one game in 240 (220 to 270)"."""
    short = chance(value, error, most)
    if short.endswith("%"):
        return f"{short.replace('> ', 'more than ')} of its games"
    if short.startswith("<"):
        return f"less than one game in {_bound(most)}"
    assert value is not None
    if error is None:
        return f"one game in {_two_digits(1 / value)}"
    low, high = (_two_digits(1 / (value + sign * error)) for sign in (1, -1))
    return f"about one game in {_two_digits(1 / value)} ({low} to {high})"


def _per_cent(value: float, error: float | None) -> str:
    """A share in per cent, with as many digits as its error allows."""
    if not error:
        return f"{significant(100 * value)} %"
    places = max(0, -floor(log10(100 * error)))
    return f"{100 * value:.{places}f} ± {100 * error:.{places}f} %"


def _bound(most: float) -> str:
    """The number of games of which less than one is won: a power of ten in words if it is large."""
    return _power(most) if most < _RAREST * 10 else _two_digits(1 / most, down=True)


def _power(most: float) -> str:
    """The largest power of ten of which `most` is less than one part, in words."""
    digits = 12 if most <= 0 else floor(-log10(most) + 1e-9)
    return _POWERS[min(max(digits, 4), 12)]


def _two_digits(number: float, down: bool = False) -> str:
    """A number above 1 with two significant digits, rounded down if asked for."""
    unit = 10 ** max(floor(log10(number)) - 1, 0)
    return f"{(floor if down else round)(number / unit) * unit:,}"


def read_number(word: str, most: int) -> int | None:
    """The whole number from 0 to `most` that a word is; None if it is none, however long it is."""
    is_number = word.isascii() and word.isdecimal() and len(word) <= len(str(most))
    return int(word) if is_number and int(word) <= most else None
