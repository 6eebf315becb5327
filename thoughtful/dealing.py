"""Deals: the order of the cards at the start, by name or in the format of any program."""

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import BadInput
from thoughtful.positions import Position
from thoughtful.reading import as_text, entry_of, rules_of

if TYPE_CHECKING:
    from engine.game import Deal as Cards
    from engine.game import Rules
    from engine.intake import ReadEntry
    from engine.text.deal_lines import InputDeal

# Deals of a sample made at once; more would only use memory.
_BLOCK = 1000
_SAMPLE = re.compile(r"[^\s:{]+:[0-9_]+-[0-9_]+")
_NAME = re.compile(r"[^\s:{]+:[0-9_]+")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Deal:
    """A deal under a ruleset; immutable, and equal to others with its cards and ruleset.

    Attributes:
        name: ``dealer:seed``, or what the source calls it.
        rules: the ruleset, such as ``klondike-draw3``.
        cards: the deal of the package `engine`, for callers who need more.
        dealer: the dealer; None if it is not known.
        seed: the seed; None without a dealer.
    """

    name: str
    rules: str
    cards: "Cards"
    dealer: str | None = None
    seed: int | None = None

    @property
    def digest(self) -> str:
        """The name of its cards: 32 hexadecimal digits, the same from every dealer."""
        return self.cards.digest

    @property
    def position(self) -> Position:
        """The position before the first move."""
        from engine.games import game_of
        from engine.rulesets import parse_ruleset

        rules = parse_ruleset(self.rules)
        return Position(game_of(rules).start(self.cards, rules))

    def text(self, form: str = "json") -> str:
        """The deal in the format of another program, such as ``pysolfc`` or ``solvitaire``.

        Raises:
            BadInput: unknown format, or one that does not support the game.
        """
        from engine.formats import get_format
        from engine.games import game_of
        from engine.rulesets import parse_ruleset

        writer = get_format(form)
        writer.check_game(game_of(parse_ruleset(self.rules)))
        return writer.write(self.cards)

    def to_json(self) -> dict[str, Any]:
        """The deal as plain data, with its name and ruleset; `deal` reads it."""
        named: dict[str, Any] = {"id": self.name, "rules": self.rules}
        if self.dealer is not None:
            named |= {"dealer": self.dealer, "seed": self.seed}
        return named | self.cards.to_json()

    def _as_input(self) -> "InputDeal":
        from engine.text.deal_lines import InputDeal

        return InputDeal(self.name, self.cards, self.dealer, self.seed)

    def _repr_html_(self) -> str:
        return self.position.svg()

    def __str__(self) -> str:
        return f"{self.name}\n{self.position}"

    def __repr__(self) -> str:
        return f"<Deal {self.name} under {self.rules}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Deal) and (self.cards, self.rules) == (other.cards, other.rules)

    def __hash__(self) -> int:
        return hash((self.digest, self.rules))


def deal(
    given: str | dict[str, Any] | Deal, rules: str | None = None, form: str | None = None
) -> Deal:
    """A deal by name or in any format.

    Args:
        given: the name, such as ``thoughtful-1:42``, a deal in any format (`docs/formats.md`), or
            the data of `Deal.to_json`.
        rules: the ruleset, which determines the game; by default that of what is given, or
            ``klondike-draw3`` if it names none.
        form: the format; by default that of the text is detected.

    Raises:
        BadInput: it is none, a position in mid-game, or of another ruleset.
    """
    if isinstance(given, Deal):
        rules_of(given.rules, rules, given.name)
        return given
    return _deal_of(entry_of(given, rules, form))


def deals(sample: str, rules: str | None = None) -> Iterator[Deal]:
    """The deals of a sample such as ``thoughtful-1:0-999``, or of one name, one after the other.

    Raises:
        BadInput: it is no sample, or its dealer does not deal the ruleset's game.
    """
    from engine.dealing.dealers import Sample, get_dealer, parse_deal_id, parse_sample
    from engine.games import game_of

    ruleset = rules_of(None, rules)
    if isinstance(sample, str) and _NAME.fullmatch(sample):
        named, seed = parse_deal_id(sample)
        wanted = Sample(named.slug, seed, 1)
    else:
        wanted = parse_sample(sample)
    game, dealer = game_of(ruleset), get_dealer(wanted.dealer)
    dealer.check_game(game)

    def dealt() -> Iterator[Deal]:
        for first in range(wanted.first, wanted.last + 1, _BLOCK):
            rows = dealer.deal_block(first, min(_BLOCK, wanted.last + 1 - first), game)
            for seed, row in enumerate(rows, start=first):
                name = f"{dealer.slug}:{seed}"
                yield Deal(name, ruleset.slug, game.deal(row), dealer.slug, seed)

    return dealt()


def read(
    file: str | os.PathLike[str],
    rules: str | None = None,
    form: str | None = None,
    on_wrong: str = "raise",
) -> Iterator[Deal | Position]:
    """The deals and positions of a file in any format, read one at a time.

    Args:
        file: its path.
        rules: the ruleset, which determines the game; an entry that names another one is wrong. By
            default that which each entry names, or ``klondike-draw3``.
        form: the format; by default that of each entry is detected.
        on_wrong: ``raise``, or ``skip`` to pass over entries that cannot be read.

    Raises:
        BadInput: the file cannot be read, or an entry is wrong; the sentence names its line.
    """
    from engine.games import game_of
    from engine.intake import WrongEntry, check_form, read_entries

    if on_wrong not in ("raise", "skip"):
        raise BadInput(f"unknown on_wrong {on_wrong!r}: expected raise or skip")
    ruleset, path = rules_of(None, rules), path_of(file)
    if form is not None:
        check_form(form, game_of(ruleset))

    def entries() -> Iterator[Deal | Position]:
        try:
            with path.open("rb") as stream:
                for entry in read_entries(stream, ruleset, form, asked=rules is not None):
                    found: Deal | Position
                    try:
                        if isinstance(entry, WrongEntry):
                            raise BadInput(entry.reason)
                        at_start = entry.deal is not None
                        found = _deal_of(entry) if at_start else Position(entry.position)
                    except BadInput as error:
                        if on_wrong == "raise":
                            raise BadInput(f"{path}, line {entry.line}: {error}") from None
                        continue
                    yield found
        except OSError as error:
            raise BadInput(f"cannot read {path}: {error.strerror}") from None

    return entries()


def convert(given: str | dict[str, Any] | Deal, to: str, rules: str | None = None) -> str:
    """A deal in the format of another program; see `Deal.text` and `Solution.text`.

    Raises:
        BadInput: it is no deal, or the format does not support the game.
    """
    return deal(given, rules).text(to)


Several = str | dict[str, Any] | Deal | Iterable[str | dict[str, Any] | Deal]


def inputs(given: Several, rules: str | None) -> tuple["Rules", "Iterator[InputDeal]"]:
    """The deals of a name, a sample, a deal, or several of these; and their ruleset.

    Raises:
        BadInput: they are none. Of several ones, the first tells their ruleset.
    """
    from engine.intake import stated_ruleset

    each = iter([given] if isinstance(given, str | dict | Deal | Position) else given)
    first = next(each, None)
    if first is None:
        return rules_of(None, rules), iter(())
    if isinstance(first, Deal):
        ruleset = rules_of(first.rules, rules, first.name)
    elif isinstance(first, str | dict):
        stated = stated_ruleset(first if isinstance(first, str) else as_text(first))
        ruleset = rules_of(None if stated is None else stated.slug, rules)
    else:
        ruleset = rules_of(None, rules)

    def read_all() -> "Iterator[InputDeal]":
        yield from _inputs(first, ruleset.slug)
        for item in each:
            yield from _inputs(item, ruleset.slug)

    return ruleset, read_all()


def _inputs(given: Any, rules: str) -> "Iterator[InputDeal]":
    if isinstance(given, Position):
        raise BadInput("this is a position, and deals are expected: thoughtful.solve takes it")
    if isinstance(given, str) and _SAMPLE.fullmatch(given):
        yield from (one._as_input() for one in deals(given, rules))
    else:
        yield deal(given, rules)._as_input()


def path_of(file: str | os.PathLike[str]) -> Path:
    """The path of a file.

    Raises:
        BadInput: it is none, such as a number, which `open` would take for a stream of the program.
    """
    if not isinstance(file, str | os.PathLike) or not os.fspath(file):
        raise BadInput(f"expected the path of a file, not {file!r}")
    path = os.fspath(file)
    if "\0" in path or not path.isprintable():
        raise BadInput(f"{path!r} cannot be the path of a file")
    return Path(path)


def _deal_of(entry: "ReadEntry") -> Deal:
    try:
        given = entry.as_input()
    except BadInput as error:
        if entry.observation is not None:
            raise
        raise BadInput(f"{error}; thoughtful.position takes it") from None
    name = given.deal.digest if isinstance(given.id, int) else given.id
    return Deal(name, entry.rules.slug, given.deal, given.dealer, given.seed)
