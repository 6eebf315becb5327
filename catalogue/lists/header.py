"""The header of a list: ruleset, dealer, seeds, levels, and who decided the deals."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any, Self

from catalogue.lists.grades import HARDEST, Levels
from catalogue.lists.seed_list import COUNTS
from engine.cards import card_name
from engine.dealing.dealers import Dealer, Sample, get_dealer
from engine.errors import BadInput
from engine.game import Rules
from engine.games import game_of


@dataclass(frozen=True, slots=True)
class ListHeader:
    """The facts about a list, the same in each format that holds them.

    Attributes:
        ruleset: slug of the ruleset.
        dealer: slug of the dealer.
        dealer_version: of the library that deals, such as ``pysol-cards 0.24.0``; ``1`` for our own
            code, whose deals are frozen.
        first_seed: the first seed of the range.
        seeds: number of seeds in the range.
        levels: smallest and largest level of the listed deals; None for all winnable ones.
        solvers: who decided the deals, with versions, such as ``exact v4``.
        first_deal: the cards of the first seed in the flat order of its game, so that a program can
            check that it deals the same.
        written_by: this program and its version.
    """

    ruleset: str
    dealer: str
    dealer_version: str
    first_seed: int
    seeds: int
    levels: Levels
    solvers: tuple[str, ...]
    first_deal: str
    written_by: str

    @property
    def last_seed(self) -> int:
        """The last seed of the range, included."""
        return self.first_seed + self.seeds - 1

    def plain(self) -> dict[str, Any]:
        """The facts as plain data."""
        facts = asdict(self)
        return facts | {
            "levels": None if self.levels is None else list(self.levels),
            "solvers": list(self.solvers),
        }

    @classmethod
    def from_plain(cls, facts: Mapping[str, Any]) -> Self:
        """The header of plain data; what it does not know is left aside.

        Raises:
            BadInput: a fact is missing or not as it must be.
        """
        return cls(**{name: checked(name, facts.get(name)) for name in FACTS})


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value.isprintable() and len(value) <= 1000


def _is_whole(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_levels(value: Any) -> bool:
    return value is None or (
        isinstance(value, list)
        and len(value) == 2
        and all(type(each) is int for each in value)
        and 1 <= value[0] <= value[1] <= HARDEST
    )


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


FACTS = {
    "ruleset": (_is_text, "text"),
    "dealer": (_is_text, "text"),
    "dealer_version": (_is_text, "text"),
    "first_seed": (_is_whole, "a whole number"),
    "seeds": (lambda value: _is_whole(value) and value > 0, "a whole number of at least 1"),
    "levels": (_is_levels, f"null or two levels from 1 to {HARDEST}, low to high"),
    "solvers": (_is_texts, "a list of texts"),
    "first_deal": (_is_text, "text"),
    "written_by": (_is_text, "text"),
}
_COUNT = (_is_whole, "a whole number")


def checked(name: str, value: Any) -> Any:
    """A fact as `ListHeader` holds it.

    Raises:
        BadInput: it is not as it must be.
    """
    right, expected = _COUNT if name in COUNTS else FACTS[name]
    if not right(value):
        raise BadInput(f"its {name!r} is {_short(value)}: expected {expected}")
    return tuple(value) if isinstance(value, list) else value


def fact_of_line(line: str) -> tuple[str, Any] | None:
    """The fact that a comment line such as ``# ruleset: "spider-1"`` tells; None if it tells none.

    Raises:
        BadInput: it is not as it must be.
    """
    name, colon, text = line.removeprefix("#").partition(":")
    name = name.strip()
    if not colon or not (name in FACTS or name in COUNTS):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise BadInput(f"its {name!r} is {_short(text.strip())}: expected JSON") from None
    return name, checked(name, value)


def counts_of(facts: dict[str, Any]) -> dict[str, int]:
    """How many entries a list has by its facts, which are taken out of them.

    Raises:
        BadInput: one is no number.
    """
    return {name: checked(name, facts.pop(name)) for name in COUNTS if name in facts}


def line_of_fact(name: str, value: Any) -> str:
    """The comment line that tells a fact."""
    return f"# {name}: {json.dumps(value)}"


def header_of(rules: Rules, sample: Sample, levels: Levels, solvers: tuple[str, ...]) -> ListHeader:
    """The header of a list that is about to be written."""
    dealer, game = get_dealer(sample.dealer), game_of(rules)
    return ListHeader(
        rules.slug,
        dealer.slug,
        version_of(dealer),
        sample.first,
        sample.count,
        levels,
        solvers,
        " ".join(map(card_name, dealer.deal(sample.first, game).cards)),
        f"thoughtful {version('thoughtful')}",
    )


def version_of(dealer: Dealer) -> str:
    """The library that deals, with its version; ``1`` for our own code, whose deals are frozen."""
    return "1" if dealer.library is None else f"{dealer.library} {version(dealer.library)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
