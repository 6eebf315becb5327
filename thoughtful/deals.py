"""Deals: the order of the cards at the start, by name or in the format of any program."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from thoughtful.positions import Position

if TYPE_CHECKING:
    from engine.game import Deal as Cards
    from engine.intake import ReadEntry
    from engine.text.deal_lines import InputDeal

# Deals of a sample made at once; more would only use memory.
_BLOCK = 1000


class Deal:
    """A deal under a ruleset; immutable, and equal to others with its cards and ruleset.

    Attributes:
        name: ``dealer:seed``, or what the source calls it.
        rules: the ruleset, such as ``klondike-draw3``.
        dealer: the dealer; None if it is not known.
        seed: the seed; None without a dealer.
        cards: the deal of the package `engine`, for whoever needs more.
    """

    __slots__ = ("cards", "dealer", "name", "rules", "seed")

    def __init__(
        self, name: str, rules: str, cards: "Cards", dealer: str | None, seed: int | None
    ) -> None:
        self.name = name
        self.rules = rules
        self.cards = cards
        self.dealer = dealer
        self.seed = seed

    @property
    def digest(self) -> str:
        """The name of its cards: 32 hexadecimal digits, the same whoever dealt them."""
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
        """The deal as plain data, as `thoughtful deal --json` prints it; `deal` reads it."""
        return {"id": self.name, **self.cards.to_json()}

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
    given: str | dict[str, Any] | Deal, rules: str = DEFAULT_RULESET, form: str | None = None
) -> Deal:
    """A deal by name or in any format.

    Args:
        given: the name, such as ``thoughtful-1:42``, or a deal in any format (`docs/formats.md`).
        rules: the ruleset, which determines the game.
        form: the format; by default that which the text looks like.

    Raises:
        BadInput: it is none, or a position in mid-game.
    """
    if isinstance(given, Deal):
        return given
    from thoughtful.reading import entry_of

    return _deal_of(entry_of(given, rules, form), rules)


def deals(sample: str, rules: str = DEFAULT_RULESET) -> Iterator[Deal]:
    """The deals of a sample such as ``thoughtful-1:0-999``, one after the other.

    Raises:
        BadInput: it is no sample, or its dealer does not deal the ruleset's game.
    """
    from engine.dealing.dealers import get_dealer, parse_sample
    from engine.games import game_of
    from engine.rulesets import parse_ruleset

    ruleset, wanted = parse_ruleset(rules), parse_sample(sample)
    game, dealer = game_of(ruleset), get_dealer(wanted.dealer)
    dealer.check_game(game)

    def dealt() -> Iterator[Deal]:
        for first in range(wanted.first, wanted.last + 1, _BLOCK):
            rows = dealer.deal_block(first, min(_BLOCK, wanted.last + 1 - first), game)
            for seed, row in enumerate(rows, start=first):
                yield Deal(f"{dealer.slug}:{seed}", ruleset.slug, game.deal(row), dealer.slug, seed)

    return dealt()


def read(
    file: str | os.PathLike[str],
    rules: str = DEFAULT_RULESET,
    form: str | None = None,
    on_wrong: str = "raise",
) -> Iterator[Deal | Position]:
    """The deals and positions of a file in any format, read one at a time.

    Args:
        file: its path.
        rules: the ruleset, which determines the game.
        form: the format; by default each entry is of that which it looks like.
        on_wrong: ``raise``, or ``skip`` to pass over entries that cannot be read.

    Raises:
        BadInput: the file cannot be read, or an entry is wrong; the sentence names its line.
    """
    from engine.intake import WrongEntry, read_entries
    from engine.rulesets import parse_ruleset

    if on_wrong not in ("raise", "skip"):
        raise BadInput(f"unknown on_wrong {on_wrong!r}: expected raise or skip")
    ruleset = parse_ruleset(rules)
    try:
        with Path(file).open("rb") as stream:
            for entry in read_entries(stream, ruleset, form):
                if not isinstance(entry, WrongEntry):
                    yield Position(entry.position) if entry.deal is None else _deal_of(entry, rules)
                elif on_wrong == "raise":
                    raise BadInput(f"{os.fspath(file)}, line {entry.line}: {entry.reason}")
    except OSError as error:
        raise BadInput(f"cannot read {os.fspath(file)}: {error.strerror}") from None


def convert(given: str | dict[str, Any] | Deal, to: str, rules: str = DEFAULT_RULESET) -> str:
    """A deal in the format of another program; see `Deal.text` and `Solution.text`.

    Raises:
        BadInput: it is no deal, or the format does not support the game.
    """
    return deal(given, rules).text(to)


def inputs(given: "str | Deal | Iterable[str | Deal]", rules: str) -> "Iterator[InputDeal]":
    """Deals for solvers: of a name, a sample, a deal, or several of these."""
    from engine.dealing.dealers import parse_deal_id

    for each in [given] if isinstance(given, str | Deal) else given:
        if isinstance(each, str) and "-" in each.rpartition(":")[2] and "\n" not in each:
            yield from (one._as_input() for one in deals(each, rules))
        else:
            if isinstance(each, str) and each.isidentifier():
                parse_deal_id(each)
            yield deal(each, rules)._as_input()


def _deal_of(entry: "ReadEntry", rules: str) -> Deal:
    from engine.rulesets import parse_ruleset

    given = entry.as_input()
    name = given.deal.digest if isinstance(given.id, int) else given.id
    return Deal(name, parse_ruleset(rules).slug, given.deal, given.dealer, given.seed)
