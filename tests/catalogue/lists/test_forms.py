"""Tests of the formats of lists: what each writes, its reader reads; damage gets one sentence."""

import io
import json
import re
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from catalogue.difficulty.grading import LEVELS
from catalogue.lists import binary_form, csv_form, json_form, pysolfc_form
from catalogue.lists.forms import FORMS, detect, entries_of
from catalogue.lists.grades import (
    CATEGORIES,
    HARDEST,
    UNATTEMPTED,
    UNDECIDED,
    UNWINNABLE,
    Grades,
    ListedSeed,
    listed,
    undecided,
)
from catalogue.lists.header import ListHeader
from catalogue.lists.seed_list import SeedList
from engine.errors import BadInput
from seed_lists import as_bytes, header, lists, named

LARGE = (
    header(65_000, 150_000, (3, 5)),
    np.resize(np.random.default_rng(7).choice(sorted(CATEGORIES), 9_973).astype(np.uint8), 150_000),
)


def read(raw: bytes, form: str) -> SeedList:
    stream = io.BytesIO(raw)
    found = detect(stream)
    assert found.name == form
    return found.read(stream)


def everything(raw: bytes) -> list[ListedSeed]:
    stream = io.BytesIO(raw)
    return list(entries_of(detect(stream).read(stream)))


def facts(answer: ListHeader) -> dict[str, Any]:
    return {name: getattr(answer, name) for name in answer.__slots__}


def test_every_level_is_a_grade() -> None:
    assert len(LEVELS) == HARDEST
    assert set(CATEGORIES.values()) == {"winnable", "unwinnable", *UNDECIDED}


@given(lists())
@example(LARGE)
def test_text_comes_back(made: tuple[ListHeader, Grades]) -> None:
    answer, grades = made
    raw = as_bytes(FORMS["text"].write, answer, grades)
    found = read(raw, "text")
    assert found.facts == facts(answer)
    assert list(entries_of(found)) == named(answer, grades)
    # For a program that skips comments, the first word of each line is a listed seed.
    lines = [line for line in raw.decode().splitlines() if not line.startswith("#")]
    wanted = (np.flatnonzero(listed(grades, answer.levels))).tolist()
    assert [int(line.split()[0]) - answer.first_seed for line in lines] == wanted


@given(lists())
@example(LARGE)
def test_json_comes_back(made: tuple[ListHeader, Grades]) -> None:
    answer, grades = made
    raw = as_bytes(FORMS["json"].write, answer, grades)
    found = read(raw, "json")
    assert found.facts == facts(answer)
    entries = list(entries_of(found))
    assert sorted(entries) == named(answer, grades)
    plain = json.loads(raw)
    assert [int(each["seed"]) for each in plain["winnable"]] == [
        each.seed for each in entries if each.category == "winnable"
    ]
    assert all(type(each["seed"]) is str or each["seed"] < 2**53 for each in plain["winnable"])
    # However somebody else lays it out.
    for other in (json.dumps(plain, indent=7), json.dumps(plain, separators=(",", ":"))):
        assert list(entries_of(read(other.encode(), "json"))) == entries


@given(lists())
@example(LARGE)
def test_csv_comes_back(made: tuple[ListHeader, Grades]) -> None:
    answer, grades = made
    found = read(as_bytes(FORMS["csv"].write, answer, grades), "csv")
    wanted = named(answer, grades)
    assert list(entries_of(found)) == wanted
    assert found.facts == ({"ruleset": answer.ruleset, "dealer": answer.dealer} if wanted else {})


@given(lists())
@example(LARGE)
@example((header(31_990, 20), np.zeros(20, np.uint8)))
@example((header(32_000, 1), np.ones(1, np.uint8)))
def test_the_module_of_pysolfc_comes_back(made: tuple[ListHeader, Grades]) -> None:
    answer, grades = made
    raw = as_bytes(FORMS["pysolfc"].write, answer, grades)
    found = read(raw, "pysolfc")
    dealt_alike = np.array([answer.first_seed + at != 32_000 for at in range(answer.seeds)])
    wanted = np.flatnonzero(listed(grades, answer.levels) & dealt_alike) + 0
    seeds = [answer.first_seed + place for place in wanted.tolist()]
    assert list(entries_of(found)) == [ListedSeed(seed, 128) for seed in seeds]
    assert found.facts == {k: v for k, v in facts(answer).items() if k != "first_deal"}
    # As PySolFC takes it, and its contributor's script.
    space: dict[str, Any] = {}
    exec(raw, space)
    assert space["SOLVABLE_SEEDS"] == tuple(seeds)
    decided = [
        answer.first_seed + place
        for place in np.flatnonzero(~undecided(grades) & dealt_alike).tolist()
    ]
    line = re.search(r"covering (.+)\.", raw.decode())
    covered = [] if line is None else line[1].split(", ")
    ranges = [(int(each.split("-")[0]), int(each.split("-")[-1])) for each in covered]
    assert [seed for low, high in ranges for seed in range(low, high + 1)] == decided
    assert all(high + 1 < low for (_, high), (low, _) in pairwise(ranges))
    assert (found.covering or ()) == tuple(ranges)
    assert f"# {len(seeds)} seeds, " in raw.decode()


def test_a_list_that_pysolfc_has_is_read() -> None:
    text = (
        "#!/usr/bin/env python\n# -*- mode: python; coding: utf-8; -*-\n#\n# Seeds.\n#\n"
        "# 5 seeds, covering 40000-40003, 40007.\n\nSOLVABLE_SEEDS = (\n"
        "    40000, 40001,\n    40003, 40007, 40010,\n)\n"
    )
    found = read(text.replace("\n", "\r\n").encode(), "pysolfc")
    assert found.covering == ((40000, 40003), (40007, 40007))
    assert [seed for seed, _ in entries_of(found)] == [40000, 40001, 40003, 40007, 40010]
    found = read(b"SOLVABLE_SEEDS = (5, 7)", "pysolfc")
    assert [seed for seed, _ in found.entries] == [5, 7]


@given(lists(2**64 - 1000), st.integers(0, 10**6))
@example(LARGE, 70_000)
def test_binary_comes_back(made: tuple[ListHeader, Grades], place: int) -> None:
    answer, grades = made
    raw = as_bytes(FORMS["binary"].write, answer, grades)
    found = read(raw, "binary")
    assert found.facts == facts(answer)
    assert list(entries_of(found)) == named(answer, grades)
    opened = binary_form.BinaryList(io.BytesIO(raw))
    assert opened.header == answer
    assert np.concatenate([part for _, part in opened.chunks()]).tolist() == grades.tolist()
    # Any seed by itself.
    place %= answer.seeds
    one = grades[place : place + 1]
    wanted = (bool(listed(one, answer.levels)[0]), bool(undecided(one)[0]), int(one[0]))
    assert opened.verdict(answer.first_seed + place) == wanted
    assert len(raw) <= 1.25 * answer.seeds + 6 * (1 + answer.seeds // 65_536) + 600


def test_a_seed_that_is_not_in_a_binary_list_is_refused() -> None:
    raw = as_bytes(binary_form.write, header(50, 10), np.zeros(10, np.uint8))
    for seed in (49, 60):
        with pytest.raises(BadInput, match=f"seed {seed} is out of range: expected 50 to 59"):
            binary_form.BinaryList(io.BytesIO(raw)).verdict(seed)


def test_any_damage_of_a_binary_list_is_seen() -> None:
    grades = np.arange(40, dtype=np.uint8) % 11
    raw = as_bytes(binary_form.write, header(5, 40, (2, 9)), grades)

    def check(damaged: bytes) -> None:
        with pytest.raises(BadInput) as error:
            list(entries_of(binary_form.read(io.BytesIO(damaged))))
        assert "\n" not in str(error.value)

    for place in range(len(raw)):
        check(raw[:place])
        for bit in (1, 128):
            check(raw[:place] + bytes([raw[place] ^ bit]) + raw[place + 1 :])
    check(raw + b"\0")
    check(raw.replace(b"\r\n", b"\n"))


def test_blocks_that_contradict_themselves_are_seen() -> None:
    """A writer that is wrong has right checksums."""
    from zlib import crc32

    raw = as_bytes(binary_form.write, header(5, 40), np.full(40, 3, np.uint8))
    for place, value in ((-44, 0), (-44, 99), (-54, 1)):
        body = bytearray(raw[:-4])
        body[place + 4] = value
        start = len(raw) - 54
        wrong = bytes(body) + crc32(bytes(body[start:])).to_bytes(4, "little")
        with pytest.raises(BadInput, match="contradicts itself"):
            list(entries_of(binary_form.read(io.BytesIO(wrong))))


def test_what_a_format_cannot_hold_is_refused() -> None:
    with pytest.raises(BadInput, match="expected --dealer pysolfc"):
        pysolfc_form.check(header(0, 5, dealer="thoughtful-1"))
    with pytest.raises(BadInput, match="at most 2\\^64 - 1"):
        binary_form.check(header(2**64 - 2, 3))
    binary_form.check(header(2**64 - 3, 3))


TEXT = as_bytes(FORMS["text"].write, header(5, 3), np.array([1, 128, 129], np.uint8)).decode()
JSON = as_bytes(FORMS["json"].write, header(5, 3), np.array([1, 128, 129], np.uint8)).decode()
CSV = as_bytes(FORMS["csv"].write, header(5, 3), np.array([1, 128, 129], np.uint8)).decode()
PYSOLFC = as_bytes(FORMS["pysolfc"].write, header(5, 3), np.array([1, 128, 0], np.uint8)).decode()


@pytest.mark.parametrize(
    ("text", "was", "becomes", "said"),
    [
        (TEXT, "5 1", "5 11", "'11' is not a level: expected 1 to 10"),
        (TEXT, "\n6\n", "\n6x\n", "'6x' is not a seed"),
        (TEXT, "5 1", "9 1", "its seed 9 is out of range: expected 5 to 7"),
        (TEXT, "\n6\n", "\n5\n", "its seed 5 comes after 5: expected ascending seeds"),
        (TEXT, "unresolved", "unclear", "names no undecided deal"),
        (TEXT, "# seeds: 3", "# seeds: three", "its 'seeds' is 'three': expected JSON"),
        (TEXT, "# seeds: 3", "# seeds: 0", "its 'seeds' is 0: expected a whole number of at"),
        (TEXT, "levels: null", "levels: [5, 3]", "expected null or two levels"),
        (JSON, '"winnable": [', '"winnable": ', "it has no array 'winnable'"),
        (JSON, "thoughtful-list", "list", "its format and version are 'list' and 1"),
        (JSON, '"level": 1', '"level": 0', "has no level: expected 1 to 10 or null"),
        (JSON, '"seed": 5', '"seed": "five"', "has no seed"),
        (JSON, '"undecided": [', '"others": [', "it has no array 'undecided'"),
        (JSON, "unresolved", "unclear", "has no category of an undecided deal"),
        (JSON, '{"seed": 6', '5, {"seed": 6', "5 is no entry"),
        (JSON, '{"seed": 6', '{seed: 6', "not JSON from"),
        (JSON, "]\n}\n", "]\n} x", "it does not end after its arrays"),
        (JSON, "]\n}\n", "", "it ends in the middle of an array"),
        (JSON, '"ruleset"', '"rules"', "its 'ruleset' is None: expected text"),
        (CSV, "deal,ruleset", "deal,rules", "it is no list"),
        (CSV, ",winnable,1", ",unwinnable,1", "no category of a listed deal"),
        (CSV, ",winnable,1", ",winnable,1,2", "line 2 has 6 values: expected 5"),
        (CSV, "pysolfc:6", "greenfelt:6", "is of another list"),
        (TEXT, "\n6\n", "\n", "it is not whole: it has 1 listed deals, and says that it has 2"),
        (TEXT, "# undecided: 7 unresolved\n", "", "it has 0 undecided deals, and says"),
        (JSON, '{"seed": 5, "level": 1},', "", "it is not whole: it has 1 listed deals"),
        (CSV, "pysolfc:7,spider-1,unresolved,,3\n", "", "it has 2 rows, and says that it has 3"),
        (CSV, "winnable,,3", "winnable,,4", "it is of a list of '4' rows, the first of one of '3'"),
        (PYSOLFC, "5, 6,", "5,", "it has 1 listed deals, and says that it has 2"),
        (PYSOLFC, "5, 6,", "5, 6", "does not end with a comma"),
        (PYSOLFC, "5, 6,", "5, , 6,", "'' is not a seed"),
        (PYSOLFC, "5, 6,", "5, print(6),", "is not a seed"),
        (PYSOLFC, "\n)", "\n", "SOLVABLE_SEEDS does not end"),
        (PYSOLFC, "\n)", "\n) + (5,)", "'+ (5,)' follows the tuple"),
        (PYSOLFC, "covering 5-7", "covering 7-5", "the range 7-5 runs backwards"),
        (PYSOLFC, "SOLVABLE_SEEDS = (", "SOLVABLE = (", "it is no list"),
        (PYSOLFC, "SOLVABLE_SEEDS = (", "SOLVABLE_SEEDS = list(", "expected SOLVABLE_SEEDS = ("),
    ],
)  # fmt: skip
def test_wrong_entries_get_one_sentence(text: str, was: str, becomes: str, said: str) -> None:
    assert was in text
    with pytest.raises(BadInput) as error:
        everything(text.replace(was, becomes, 1).encode())
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "raw", [b"", b"\xff\xfe5\n", b"thoughtful-1:42\n", b"seed\n5\n", b"\n\n", b"[5]", b"\x89PNG"]
)
def test_what_is_no_list_is_refused(raw: bytes) -> None:
    with pytest.raises(BadInput) as error:
        everything(raw)
    assert "\n" not in str(error.value)


@given(st.sampled_from(sorted(FORMS)), st.data())
def test_damage_anywhere_never_gets_more_than_a_sentence(form: str, data: st.DataObject) -> None:
    answer = header(40, 9, (1, 4))
    raw = as_bytes(
        FORMS[form].write, answer, np.array([1, 2, 5, 0, 128, 129, 130, 131, 3], np.uint8)
    )
    place = data.draw(st.integers(0, len(raw) - 1))
    end = data.draw(st.integers(place, len(raw)))
    said = ""
    try:
        everything(raw[:place] + data.draw(st.binary(max_size=9)) + raw[end:])
    except BadInput as error:
        said = str(error)
    assert "\n" not in said


@pytest.mark.parametrize("half", ["first_seed", "seeds"])
def test_half_of_a_range_is_missing(half: str) -> None:
    answer = header(40, 9, (1, 4))
    raw = as_bytes(FORMS["text"].write, answer, np.array([1] * 9, np.uint8))
    lines = [line for line in raw.splitlines(keepends=True) if f"# {half}:".encode() not in line]
    with pytest.raises(BadInput, match=f"its '{half}' is missing"):
        everything(b"".join(lines))


def test_a_list_of_nothing() -> None:
    answer = header(40, 3)
    for form in FORMS.values():
        raw = as_bytes(form.write, answer, np.full(3, UNWINNABLE, np.uint8))
        assert list(entries_of(read(raw, form.name))) == []
        raw = as_bytes(form.write, answer, np.full(3, UNATTEMPTED, np.uint8))
        found = read(raw, form.name)
        entries = list(entries_of(found))
        if form.name == "pysolfc":
            assert (entries, found.covering) == ([], None)
        else:
            assert [each.category for each in entries] == ["unattempted"] * 3


@pytest.mark.parametrize("form", sorted(FORMS))
def test_a_list_that_was_cut_is_not_sound(form: str) -> None:
    """After any line, or any byte of a binary list: what is missing is not unwinnable."""
    answer = header(40, 9)
    raw = as_bytes(
        FORMS[form].write, answer, np.array([1, 2, 5, 0, 128, 129, 130, 131, 3], np.uint8)
    )
    ends = range(len(raw)) if form == "binary" else [at + 1 for at, c in enumerate(raw) if c == 10]
    cut = [raw[:end] for end in ends if end < len(raw)]
    sound = []
    for part in cut:
        with suppress(BadInput):
            sound.append(everything(part))
    # Of CSV the line of names alone is a list of no deals.
    assert len(cut) > 5
    assert [entries for entries in sound if entries] == []


def test_a_list_that_does_not_say_how_many_deals_it_has_is_read() -> None:
    for text, form in ((TEXT, "text"), (JSON, "json"), (PYSOLFC, "pysolfc")):
        earlier = re.sub(r'(# |")(un)?(listed|undecided)_count"?: \d+,?\n', "", text)
        assert "_count" not in earlier
        found = read(earlier.encode(), form)
        assert found.counts == {}
        assert len(list(entries_of(found))) == (2 if form == "pysolfc" else 3)
    earlier = re.sub(r"(,rows|,3)\n", "\n", CSV)
    found = read(earlier.encode(), "csv")
    assert found.counts == {}
    assert len(list(entries_of(found))) == 3


def test_a_byte_order_mark_and_other_line_ends() -> None:
    for text, form in ((TEXT, "text"), (CSV, "csv"), (JSON, "json"), (PYSOLFC, "pysolfc")):
        plain = list(entries_of(read(text.encode(), form)))
        marked = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
        assert list(entries_of(read(marked, form))) == plain


def test_names_of_columns_and_arrays_are_documented() -> None:
    assert csv_form.COLUMNS == ("deal", "ruleset", "category", "level", "rows")
    assert (json_form.FORMAT, json_form.VERSION) == ("thoughtful-list", 1)
    assert replace(header(5, 3), levels=(3, 5)).plain()["levels"] == [3, 5]
