"""Tests that the suite can fail: games that break the contract in one place each."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from conformance import checks
from dashboard.viewer.renderer import Piles, Renderer, Step, renderer_of
from engine.checkers import NO_WIN
from engine.game import Dealing, Game, Position
from engine.games import get_game
from engine.klondike.moves import KlondikeMove
from engine.klondike.referee import KlondikePosition
from engine.spider.moves import SpiderKind, SpiderMove
from engine.spider.referee import SpiderPosition
from plug_in import installed

with installed():
    from black_hole.moves import BlackHoleMove
    from black_hole.referee import BlackHolePosition
    from black_hole.rules import BlackHoleRules

    BLACK_HOLE = get_game("black-hole")
KLONDIKE, SPIDER = get_game("klondike"), get_game("spider")
Check = Callable[[Game], None]


# --- referees ------------------------------------------------------------------------------------


def of(game: Game, position: Any) -> Game:
    """The game with another referee."""
    return replace(game, start=position.start, position_from_json=position.from_json)


class AnyCardFollows(BlackHolePosition):
    """A referee that allows what the rules forbid."""

    def why_illegal(self, move: BlackHoleMove) -> str | None:
        return None if self.piles[move.pile] else "the pile is empty"


class AnyCardFits(SpiderPosition):
    """A referee of Spider that lets a card lie on any card: only the kernels know better."""

    def why_illegal(self, move: SpiderMove) -> str | None:
        if move.kind is SpiderKind.RUN and move.cards == 1 and self.up[move.source]:
            return None
        return super().why_illegal(move)


class OneMoveForgotten(BlackHolePosition):
    """A referee that allows a move without listing it."""

    def legal_moves(self) -> list[BlackHoleMove]:
        return super().legal_moves()[1:]


class PlaysWhatIsIllegal(BlackHolePosition):
    """A referee that knows a move to be illegal and plays it all the same."""

    def play(self, move: BlackHoleMove) -> BlackHolePosition:
        return super().play(move) if self.why_illegal(move) is None else self


class LosesACard(BlackHolePosition):
    """A referee under whom a card vanishes."""

    def play(self, move: BlackHoleMove) -> BlackHolePosition:
        after = super().play(move)
        return replace(after, hole=after.hole[-1:])


class Peeks(KlondikePosition):
    """A referee that looks at a hidden card."""

    def legal_moves(self) -> list[KlondikeMove]:
        legal = super().legal_moves()
        return legal if self.down[6][0] < 26 else legal[1:]


class ShowsAll(KlondikePosition):
    """A referee whose observation hides nothing."""

    def observation(self) -> dict[str, Any]:
        return self.to_json()


class HidesAll(BlackHolePosition):
    """A referee whose observation hides what lies face up."""

    def observation(self) -> dict[str, Any]:
        return {**self.to_json(), "piles": [["??"] * len(pile) for pile in self.piles]}


# --- the rest ------------------------------------------------------------------------------------


def backwards(moves: Iterable[Any]) -> bytes:
    """The moves of a list in the wrong order."""
    return BLACK_HOLE.pack([*moves][::-1])


def unchecked(packed: bytes) -> tuple[BlackHoleMove, ...]:
    """Moves of any bytes."""
    return tuple(map(BlackHoleMove, packed))


def in_turn(game: Game) -> Dealing:
    """A dealer whose deal of a seed depends on the first seed that was asked for."""
    dealing = game.dealings[0]

    def block(first: int, count: int) -> Any:
        deals = dealing.block(first, count)
        deals[:, 1:] = np.roll(deals[:, 1:], np.arange(count).sum(), axis=1)
        return deals

    return replace(dealing, block=block)


def changed_codec(**change: Callable[[Any], Any]) -> Game:
    """Black Hole with another reader or writer of JSON."""
    json, *others = BLACK_HOLE.codecs
    return replace(BLACK_HOLE, codecs=(replace(json, **change), *others))


class Forgetful(BlackHoleRules):
    """Rules whose slug does not say all."""

    @property
    def slug(self) -> str:
        return "black-hole" if self.wrap else "black-hole-no-wrap"


def with_rules(**change: Any) -> Game:
    """Black Hole with other rulesets."""
    return replace(BLACK_HOLE, rulesets=replace(BLACK_HOLE.rulesets, **change))


def careless(data: Any) -> Any:
    """A reader that does not look at what it reads."""
    return BLACK_HOLE.deal_from_json({"piles": [*data["piles"]]})


def lenient(cards: Any, _rules: Any, solutions: Any) -> Any:
    """A checker that finds nothing wrong."""
    return np.full(len(solutions), NO_WIN)


# What is wrong -> the game, the check that notices, and its words.
BROKEN: dict[str, tuple[Game, Check, str]] = {
    "any card follows": (of(BLACK_HOLE, AnyCardFollows), checks.check_play, "cannot have .. on AS"),
    "every move is right": (
        replace(BLACK_HOLE, load_checker=lambda: lenient),
        checks.check_checker,
        "the checker says -1, the referee",
    ),
    "any card fits": (of(SPIDER, AnyCardFits), checks.check_kernels, "kernels reach others"),
    "a legal move is not listed": (
        of(BLACK_HOLE, OneMoveForgotten),
        checks.check_play,
        "not every legal move is listed",
    ),
    "an illegal move is played": (
        of(BLACK_HOLE, PlaysWhatIsIllegal),
        checks.check_play,
        "is taken for hole AS",
    ),
    "a card is lost": (of(BLACK_HOLE, LosesACard), checks.check_play, "51 cards of 52; missing AS"),
    "hidden cards are shown": (
        of(KLONDIKE, ShowsAll),
        checks.check_observation,
        "not as many cards are hidden",
    ),
    "open cards are hidden": (
        of(BLACK_HOLE, HidesAll),
        checks.check_observation,
        "not as many cards are hidden",
    ),
    "a hidden card decides": (
        of(KLONDIKE, Peeks),
        checks.check_observation,
        "a hidden card decides what is legal",
    ),
    "packed backwards": (
        replace(BLACK_HOLE, pack=backwards),
        checks.check_moves,
        "packed moves come back as others",
    ),
    "bytes of no move are unpacked": (
        replace(BLACK_HOLE, unpack=unchecked),
        checks.check_moves,
        "18 is refused",
    ),
    "half a move is counted": (
        replace(BLACK_HOLE, move_size=2),
        checks.check_moves,
        "2 bytes are 2 moves",
    ),
    "a deal depends on the block": (
        replace(BLACK_HOLE, dealings=(in_turn(BLACK_HOLE),)),
        checks.check_dealers,
        "thoughtful-1 depends on the block",
    ),
    "a format forgets a card": (
        changed_codec(write=lambda deal: BLACK_HOLE.codecs[0].write(deal).replace("KH", "KC")),
        checks.check_deals,
        "missing KH; more than once KC",
    ),
    "junk is met with a TypeError": (
        replace(BLACK_HOLE, deal_from_json=careless),
        checks.check_wrong_deals,
        "None is met with TypeError",
    ),
    "every JSON is taken for its deal": (
        replace(BLACK_HOLE, is_deal_json=lambda data: True),
        checks.check_deals,
        "a deal of Klondike is taken for its own",
    ),
    "two rulesets have one name": (
        with_rules(
            presets={"black-hole": Forgetful()},
            parse=lambda slug: Forgetful() if slug == "black-hole" else None,
        ),
        checks.check_rulesets,
        "black-hole-no-wrap names two rulesets",
    ),
    "garbage is a ruleset": (
        with_rules(parse=lambda slug: BLACK_HOLE.rulesets.parse(slug) or BlackHoleRules()),
        checks.check_rulesets,
        "'' is taken for a ruleset",
    ),
    "a translation stops too early": (
        replace(BLACK_HOLE, translate=lambda _start, moves, _lax: list(moves)[:-1]),
        checks.check_translation,
        "does not imply",
    ),
    "a zone is missing": (
        replace(BLACK_HOLE, zones=BLACK_HOLE.zones[1:]),
        checks.check_identity,
        "the zones are not the flat order",
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_game_is_caught(fault: str) -> None:
    game, check, words = BROKEN[fault]
    with pytest.raises(AssertionError, match=words):
        check(game)


def test_positions_that_junk_breaks_are_caught() -> None:
    def read(data: Any, rules: Any) -> Position:
        return BLACK_HOLE.position_from_json({**data, "hole": list(data["hole"])}, rules)

    with pytest.raises(AssertionError, match="is met with"):
        checks.check_wrong_positions(replace(BLACK_HOLE, position_from_json=read))


class Broken:
    """A table that passes on what another does."""

    def __init__(self, start: Position) -> None:
        renderer = renderer_of("black-hole")
        assert renderer is not None
        self._table = renderer.table(start)

    @property
    def piles(self) -> Piles:
        return self._table.piles

    def play(self, before: Any, move: Any, after: Any) -> Step:
        return self._table.play(before, move, after)


class ForgetsCards(Broken):
    """A table that draws only the top card of the hole."""

    @property
    def piles(self) -> Piles:
        return super().piles | {"hole": super().piles["hole"][-1:]}


class Misnames(Broken):
    """A table that calls every move by one name."""

    def play(self, before: Any, move: Any, after: Any) -> Step:
        return replace(super().play(before, move, after), name="1")


@pytest.mark.parametrize("table", [ForgetsCards, Misnames])
def test_a_broken_renderer_is_caught(table: type[Broken]) -> None:
    checks.check_drawing(BLACK_HOLE, Renderer(Broken, ""))
    with pytest.raises(AssertionError):
        checks.check_drawing(BLACK_HOLE, Renderer(table, ""))


def test_every_check_has_a_game_that_it_catches() -> None:
    caught: Sequence[Check] = [check for _, check, _ in BROKEN.values()]
    alone = [checks.check_wrong_positions, checks.check_renderer]
    assert {*caught, *alone} == {*checks.CHECKS}
