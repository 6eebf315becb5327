"""Tests of numbers for people: no exponent, and small chances as games."""

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text.numbers import chance, games_won, per_cent, probability, read_number, significant
from paths import ROOT

PACKAGES = ("engine", "solvers", "catalogue", "dashboard", "thoughtful")


@pytest.mark.parametrize(
    ("estimate", "short", "words"),
    [
        ((0.0129, 0.00062, 0.014), "1.29 ± 0.06 %", "1.29 ± 0.06 % of its games"),
        ((0.7017, 0.0039, 0.71), "70.2 ± 0.4 %", "70.2 ± 0.4 % of its games"),
        ((1.0, 0.0, 1.0), "> 99.9 %", "more than 99.9 % of its games"),
        ((4.1e-5, 6e-6, 5.3e-5), "1 in 24,000", "about one game in 24,000 (21,000 to 29,000)"),
        ((6.8e-7, 3.6e-7, 1.4e-6), "< 1 in 710,000", "less than one game in 710,000"),
        ((7.7e-8, 1e-8, 9.7e-8), "< 1 in ten million", "less than one game in ten million"),
        ((None, None, 1.2e-4), "< 1 in 8,300", "less than one game in 8,300"),
        ((1 / 3, None, 1 / 3), "33.3 %", "33.3 % of its games"),
    ],
)
def test_chances(
    estimate: tuple[float | None, float | None, float], short: str, words: str
) -> None:
    assert chance(*estimate) == short
    assert games_won(*estimate) == words


@given(st.floats(0, 1), st.floats(1e-6, 1))
def test_no_chance_has_an_exponent(value: float, relative: float) -> None:
    error = value * relative
    for text in (
        chance(value, error, min(1.0, value + 2 * error)),
        games_won(value, error, min(1.0, value + 2 * error)),
        chance(None, None, value),
        probability(value),
        significant(value),
        significant(value * 1e15),
    ):
        assert not re.search(r"\d[eE][+-]?\d", text), text


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (1e-9, "0.000000001"), (12345.6, "12,346"), (1e9, "1,000,000,000"), (9.999, "10")],
)
def test_significant_digits(value: float, text: str) -> None:
    assert significant(value) == text


def exponents_of(path: Path) -> list[int]:
    """Lines of a module at which a number may be written with an exponent."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FormattedValue)
        and isinstance(node.format_spec, ast.JoinedStr)
        and any(
            isinstance(part, ast.Constant) and re.search(r"[gGeE]$", str(part.value))
            for part in node.format_spec.values
        )
    ]


# A number that is rounded by way of its text, and is not shown.
ROUNDED = "dashboard/pages/bounds.py"


@pytest.mark.parametrize("package", PACKAGES)
def test_no_number_is_written_with_an_exponent(package: str) -> None:
    found = {
        str(path.relative_to(ROOT)): lines
        for path in sorted((ROOT / package).rglob("*.py"))
        if (lines := exponents_of(path))
    }
    assert set(found) <= {ROUNDED}, found


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [
        (0.9997, 0, "99.97"),
        (0.99999, 2, "99.999"),
        (0.00003, 1, "0.003"),
        (0.5, 0, "50"),
        (0.0, 1, "0.0"),
        (1.0, 0, "100"),
        (1 - 1e-12, 2, "> 99.999999"),
        (1e-12, 2, "< 0.000001"),
    ],
)
def test_no_share_is_rounded_to_none_or_all(share: float, digits: int, text: str) -> None:
    assert per_cent(share, digits) == text


def is_set(value: ast.expr) -> bool:
    """Whether a percentage is one that somebody has chosen, such as the level of an interval."""
    name = value
    if isinstance(value, ast.BinOp):
        name = value.right
    if isinstance(name, ast.Subscript):
        name = name.slice
    words = [getattr(name, each, None) for each in ("id", "attr", "value")]
    return any(isinstance(word, str) and (word.isupper() or word == "level") for word in words)


def rounded_shares(path: Path) -> list[int]:
    """Lines of a module at which a share that was found is written by rounding alone."""
    found = []
    for text in ast.walk(ast.parse(path.read_text())):
        if not isinstance(text, ast.JoinedStr):
            continue
        for at, part in enumerate(text.values):
            if not isinstance(part, ast.FormattedValue) or is_set(part.value):
                continue
            form = "" if part.format_spec is None else ast.unparse(part.format_spec)
            after = text.values[at + 1] if at + 1 < len(text.values) else None
            by_sign = isinstance(after, ast.Constant) and re.match(r"\s?%", str(after.value))
            if re.search(r"%'?$", form) or (by_sign and isinstance(part.value, ast.BinOp) and form):
                found.append(part.lineno)
    return found


@pytest.mark.parametrize("package", PACKAGES)
def test_every_share_is_written_by_per_cent(package: str) -> None:
    # `_per_cent` of numbers rounds by the error, which it writes beside the share.
    found = {
        str(path.relative_to(ROOT)): lines
        for path in sorted((ROOT / package).rglob("*.py"))
        if (lines := rounded_shares(path))
    }
    assert set(found) <= {"engine/text/numbers.py"}, found


def test_numbers_that_people_write() -> None:
    assert [read_number(word, 13) for word in ("0", "7", "07", "13")] == [0, 7, 7, 13]
    for word in ("14", "007", "9" * 5_000, "-1", "+1", "1.0", "", " 1", "²", "٣", "x"):
        assert read_number(word, 13) is None
