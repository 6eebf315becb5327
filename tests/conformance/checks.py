"""Checks of the contract `engine.game` that apply to any game.

A check fails by AssertionError. Its cases are random, but the same in every run.
"""

import io
import json
import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import cycle, islice, product
from typing import Any

import numpy as np
import pytest

from conformance.kernels import COUNTS
from dashboard.viewer.changes import steps
from dashboard.viewer.renderer import Renderer, renderer_of
from engine.cards import DECK, HIDDEN, card_name
from engine.dealing.dealers import Dealer
from engine.errors import BadInput, BadMove, IllegalMove, Renamed
from engine.formats import get_format
from engine.game import Deal, Game, Move, Position, Rules
from engine.games import game_of_deal, games, get_game
from engine.replay import ReplayError, positions, replay, wins
from engine.rulesets import parse_ruleset
from engine.text.deal_lines import InputDeal, read_deal_lines, write_deal_line
from twins.checkers import differences, some_words, walk
from twins.viewer import changed

# Moves of a random game; many games of Klondike never end.
MOST_MOVES = 80
NAMES = {card_name(card) for card in DECK}
GARBAGE = ["", " ", "ß", "-1", "0", "999", "XX", "AC AC", "{}", "[", "null", "T" * 200]
JUNK: list[Any] = [None, 7, "AC", [], {}, [[]], [["XX"]], [[7]], [None], {"A": 1}]


def deals(game: Game, count: int) -> list[Deal]:
    """Deals of the game's first dealer."""
    dealing = game.dealings[0]
    return [game.deal(row) for row in dealing.block(dealing.dealer.min_seed + 7_000, count)]


def accepted(what: str, read: Callable[..., Any], *arguments: Any) -> Any:
    """What is read; what was written must not be refused."""
    try:
        return read(*arguments)
    except BadInput as error:
        raise AssertionError(f"{what} is refused: {error}") from error


def refused(
    what: str, read: Callable[..., Any], *arguments: Any, error: type[BadInput] = BadInput
) -> str:
    """The sentence by which wrong input is refused."""
    try:
        found = read(*arguments)
    except error as refusal:
        return str(refusal)
    except Exception as other:
        raise AssertionError(f"{what} is met with {other!r}") from other
    raise AssertionError(f"{what} is taken for {found}")


def random_game(
    position: Position, chooser: random.Random, most: int = MOST_MOVES
) -> Iterator[tuple[Position, list[Any], Any]]:
    """Each position of a random game with its legal moves, and the one that is played."""
    for _ in range(most):
        legal = list(position.legal_moves())
        if not legal:
            return
        move = chooser.choice(legal)
        yield position, legal, move
        position = position.play(move)


def starts(game: Game, count: int) -> Iterator[Position]:
    """Starts of this number of deals under each preset."""
    for rules in game.rulesets.presets.values():
        for deal in deals(game, count):
            yield game.start(deal, rules)


# --- what the game says of itself ----------------------------------------------------------------


def check_identity(game: Game) -> None:
    """Zones cover the flat order; slugs and names are there; hidden places are some of it."""
    places = [place for zone in game.zones for pile in zone.piles for place in pile]
    assert places == list(range(game.cards)), "the zones are not the flat order"
    assert all(zone.meaning for zone in game.zones)
    assert len({zone.name for zone in game.zones}) == len(game.zones)
    assert len(set(game.hidden)) == len(game.hidden)
    assert set(game.hidden) <= set(range(game.cards))
    assert game.name
    assert game.notation
    assert game.move_size >= 1
    for registered in (game.dealings, game.codecs):
        assert registered, f"{game.name} lacks dealers or formats"
    assert "json" in {codec.slug for codec in game.codecs}


def check_rulesets(game: Game) -> None:
    """Every combination of options prints as a slug that reads back, and is described."""
    own = game.rulesets
    assert own.default in own.presets
    for slug, rules in own.presets.items():
        assert (rules.slug, str(rules), rules.game) == (slug, slug, game.slug)
    every = list(combinations(game))
    seen: dict[str, Rules] = {}
    for rules in every:
        assert seen.setdefault(rules.slug, rules) == rules, f"{rules.slug} names two rulesets"
    for rules in every:
        assert accepted(rules.slug, own.parse, rules.slug) == rules
        assert parse_ruleset(rules.slug) == rules
        assert hash(rules) == hash(own.parse(rules.slug))
        assert own.describe(rules).endswith(".")
        assert all(option.text(rules) for option in own.options)
    for former, slug in own.renamed.items():
        with pytest.warns(Renamed, match=f"{former} is now called {slug}"):
            assert parse_ruleset(former).slug == slug
    for text in GARBAGE:
        assert own.parse(text) is None, f"{text!r} is taken for a ruleset"


def check_translation(game: Game) -> None:
    """A game under a preset is one under each preset that it implies, once translated."""
    implies = game.rulesets.implies
    presets = list(game.rulesets.presets.values())
    chooser = random.Random(7)
    for deal, strict in zip(deals(game, len(presets)), presets, strict=True):
        start = game.start(deal, strict)
        moves = [move for _, _, move in random_game(start, chooser)]
        end = replay(start, moves)
        for lax in presets:
            if implies(strict, lax):
                there = replay(game.start(deal, lax), game.translate(start, moves, lax))
                assert there.progress == end.progress, f"{strict} does not imply {lax}"
                assert there.is_won == end.is_won


def combinations(game: Game) -> Iterator[Any]:
    """The presets and every combination of their options that may be."""
    presets = list(game.rulesets.presets.values())
    assert all(map(is_dataclass, presets))
    yield from presets
    if any(is_dataclass(getattr(presets[0], field.name)) for field in fields(presets[0])):
        return  # these have names that say nothing of their options
    names = [field.name for field in fields(presets[0])]
    values = [sorted({getattr(rules, name) for rules in presets}, key=repr) for name in names]
    # Options that no preset differs in are tried, too, where they are yes or no.
    for place, given in enumerate(values):
        if isinstance(given[0], bool):
            values[place] = [False, True]
    for chosen in product(*values):
        try:
            yield type(presets[0])(**dict(zip(names, chosen, strict=True)))
        except BadInput:
            continue


# --- deals ---------------------------------------------------------------------------------------


def check_dealers(game: Game) -> None:
    """A deal depends on its seed alone; seeds that the dealer does not take are refused."""
    for dealing in game.dealings:
        dealer = dealing.dealer
        assert isinstance(dealer, Dealer)
        first = dealer.min_seed + 3
        block = dealer.deal_block(first, 5, game)
        assert (block.shape, block.dtype) == ((5, game.cards), np.uint8)
        assert len({row.tobytes() for row in block}) == 5, "two seeds have one deal"
        for at in range(5):
            deal = dealer.deal(first + at, game)
            assert bytes(deal.cards) == block[at].tobytes(), f"{dealer.slug} depends on the block"
        for seed in (dealer.min_seed, dealer.max_seed):
            assert dealer.deal(seed, game).game == game.slug
        for seed in (dealer.min_seed - 1, dealer.max_seed + 1):
            refused(f"seed {seed} of {dealer.slug}", dealer.deal, seed, game)


def check_deals(game: Game) -> None:
    """Deals come back from cards, JSON, lines and every text format; piles are the zones."""
    others = [other for other in games() if other.slug != game.slug]
    for number, deal in enumerate(deals(game, 4)):
        assert deal.game == game.slug
        decks = sorted([*DECK] * game.decks)
        assert sorted(deal.cards) == decks or len(decks) > game.cards
        assert game.deal(deal.as_array()) == game.deal(list(deal.cards)) == deal
        assert len(deal.digest) == 32
        cards = [card for zone in game.zones for pile in deal.piles(zone.name) for card in pile]
        assert tuple(cards) == deal.cards
        data = json.loads(json.dumps(deal.to_json()))
        assert set(data) - {"game"} == {zone.name for zone in game.zones}
        assert accepted("its JSON", game.deal_from_json, data) == deal
        assert game.is_deal_json(data)
        assert "game" in data or game_of_deal(data) is get_game(game.slug)
        for other in others if number == 0 else ():
            shown = deals(other, 1)[0].to_json()
            assert "game" in shown or not game.is_deal_json(shown), (
                f"a deal of {other.name} is taken for its own"
            )
        # A line says by itself which game it is of.
        for line in (json.dumps(data), write_deal_line(InputDeal("a", deal))):
            (read,) = accepted(line, lambda text: list(read_deal_lines(io.StringIO(text))), line)
            assert read.deal == deal
        for codec in game.codecs:
            text = codec.write(deal)
            assert accepted(text, codec.read, text) == deal
            assert get_format(codec.slug).write(deal) == text
            assert get_format(codec.slug).read(text, game) == deal
        assert number == 0 or deal.digest != deals(game, 1)[0].digest


def check_wrong_deals(game: Game) -> None:
    """Wrong cards are named; wrong JSON and text are refused and nothing worse."""
    chooser = random.Random(game.slug)
    deal = deals(game, 1)[0]
    cards = list(deal.cards)
    for _ in range(6):
        here, there = chooser.sample(range(game.cards), 2)
        if cards[here] == cards[there]:
            continue
        doubled = [*cards]
        doubled[here] = cards[there]
        said = refused("a doubled card", game.deal, doubled)
        assert card_name(cards[here]) in said
        assert card_name(cards[there]) in said
        missing = cards[:here] + cards[here + 1 :]
        assert card_name(cards[here]) in refused("51 cards", game.deal, missing)
    refused("a card of number 52", game.deal, [52, *cards[1:]])
    data = deal.to_json()
    for junk in JUNK:
        refused(f"{junk!r}", game.deal_from_json, junk)
        for zone in game.zones:
            changed = data | {zone.name: junk}
            refused(f"{zone.name} {junk!r}", game.deal_from_json, changed)
    for codec in game.codecs:
        text = codec.write(deal)
        for garbage in [*GARBAGE, text[: len(text) // 2], text + text]:
            refused(f"{codec.slug} of {garbage[:40]!r}", codec.read, garbage)
        for _ in range(40):
            at = chooser.randrange(len(text))
            damaged = text[:at] + chooser.choice('ACX7[]" \n:<') + text[at + 1 :]
            try:
                read = codec.read(damaged)
            except BadInput:
                continue
            assert sorted(read.cards) == sorted(cards), f"{damaged!r} is read as {read}"


# --- play ----------------------------------------------------------------------------------------


@cache
def _moves_of(unpack: Callable[[bytes], tuple[Move, ...]], size: int) -> tuple[Move, ...]:
    moves: list[Move] = []
    for word in _words(unpack, size):
        try:
            found = unpack(word)
        except BadMove:
            continue
        assert len(found) == 1, f"{size} bytes are {len(found)} moves"
        moves += found
    return tuple(moves)


def _words(unpack: Callable[[bytes], tuple[Move, ...]], size: int) -> Iterator[bytes]:
    """All words of a size; of three bytes those between whose first two there is a move.

    There the third byte is a number of cards: one, or a whole run.
    """
    if size < 3:
        yield from (number.to_bytes(size, "big") for number in range(256**size))
        return
    for pair in product(range(256), repeat=2):
        for count in (1, 13):
            with suppress(BadMove):
                unpack(bytes((*pair, count)))
                yield from (bytes((*pair, each)) for each in range(256))
                break


def every_move(game: Game) -> tuple[Move, ...]:
    """All moves of the notation, by their bytes."""
    return _moves_of(game.unpack, game.move_size)


def check_moves(game: Game) -> None:
    """Moves, their texts and their bytes are one to one; what is no move is refused."""
    moves = every_move(game)
    assert len(moves) > 1
    assert len({str(move) for move in moves}) == len({*moves}) == len(moves)
    for move in moves:
        assert move.kind.value
        assert accepted(str(move), game.parse_move, str(move)) == move
    packed = game.pack(moves)
    assert len(packed) == len(moves) * game.move_size
    assert game.length(packed) == len(moves)
    read = accepted("a packed list", game.unpack, packed)
    assert read == moves, "packed moves come back as others"
    assert game.parse_solution(game.text(packed)) == moves
    assert game.move_texts(packed) == [str(move) for move in moves]
    assert game.parse_solution(", ".join(map(str, moves))) == moves
    texts = {str(move) for move in moves}
    for text in GARBAGE:
        if text not in texts:
            refused(f"{text!r}", game.parse_move, text, error=BadMove)
    if game.move_size > 1:
        refused("half a move", game.unpack, packed[:-1], error=BadMove)
    taken = {game.pack([move]) for move in moves}
    wrong = (n.to_bytes(game.move_size, "big") for n in range(256**game.move_size))
    for unknown in islice((each for each in wrong if each not in taken), 50):
        refused(unknown.hex(), game.unpack, unknown, error=BadMove)


def check_play(game: Game) -> None:
    """The referee contradicts itself nowhere in random games, and each game can be replayed."""
    chooser = random.Random(f"{game.slug} is played")
    actions = game.load_actions()
    for start in starts(game, 2):
        position, played = start, []
        for number, (position, legal, move) in enumerate(random_game(start, chooser)):
            assert position.why_illegal(move) is None
            if number % 8 == 0:
                _check_legal(game, position, legal)
            assert actions.action_of(position, move) in actions.words
            assert isinstance(actions.is_reversible(position, move), bool)
            assert isinstance(actions.is_safe(position, move), bool)
            before = position.to_json()
            after = position.play(move)
            assert after != position, f"{move} changes nothing"
            assert after.rules == start.rules
            assert position.to_json() == before, f"{move} changes the position before it"
            _check_position(game, after)
            played.append(move)
        end = replay(start, played)
        packed = game.pack(played)
        assert game.unpack(packed) == tuple(played)
        assert game.parse_solution(game.text(packed)) == tuple(played)
        assert list(positions(start, game.unpack(packed)))[-1] == end
        assert wins(start, played) == end.is_won


def _check_legal(game: Game, position: Position, legal: list[Any]) -> None:
    """Legal are exactly the moves that nothing speaks against, each once."""
    assert len(set(legal)) == len(legal)
    free = {move for move in every_move(game) if position.why_illegal(move) is None}
    assert free == set(legal), f"not every legal move is listed: {free ^ set(legal)} at\n{position}"
    for move in every_move(game)[:: max(1, len(every_move(game)) // 20)]:
        if move not in free:
            said = refused(f"{move}", position.play, move, error=IllegalMove)
            reason = position.why_illegal(move)
            assert reason
            assert reason in said
            refused(f"{move}", replay, position, [move], error=ReplayError)


def _check_position(game: Game, position: Position) -> None:
    """A position that play leads to prints, and comes back from its JSON."""
    data = json.loads(json.dumps(position.to_json()))
    assert data["rules"] == position.rules.slug
    read = accepted("a position", game.position_from_json, data, position.rules)
    assert read == position
    deal = game.deal_of(position)
    assert deal is None or game.start(deal, position.rules) == position
    assert hash(read) == hash(position)
    assert read.is_won == position.is_won
    assert str(position)
    assert position.progress
    assert isinstance(position.to_come, str)


def check_wrong_positions(game: Game) -> None:
    """Positions with junk in them are refused and nothing worse."""
    chooser = random.Random(game.slug)
    start = next(starts(game, 1))
    data = replay(start, [move for _, _, move in random_game(start, chooser, 20)]).to_json()
    for junk in JUNK:
        refused(f"{junk!r}", game.position_from_json, junk, start.rules)
        for key in set(data) - {"rules"}:
            changed = data | {key: junk}
            try:
                read = game.position_from_json(changed, start.rules)
            except BadInput:
                continue
            except Exception as error:
                raise AssertionError(f"{key} {junk!r} is met with {error!r}") from error
            assert read.to_json()[key] == junk, f"{key} {junk!r} is taken for\n{read}"
    if game.hidden:
        shown = start.observation()
        refused("an observation", game.position_from_json, shown, start.rules)


def check_checker(game: Game) -> None:
    """The compiled referee, where the game has one, agrees with the plain one move by move."""
    if game.load_checker is None:
        return
    check = game.load_checker()
    chooser = random.Random(f"{game.slug} is checked")
    answer = set()
    for start, deal in zip(starts(game, 1), cycle(deals(game, 1)), strict=False):
        played = [move for _, _, move in random_game(start, chooser)]
        line = walk(game, deal, start.rules, chooser, played, 0)
        words = [*some_words(game, chooser, 20), *map(game.pack, zip(played[::9], strict=True))]
        several = [line.whole(), *line.damaged(chooser, 5)]
        for place in range(0, len(played), 5):
            several += line.tried(words, place)
        wrong = differences(check, several)
        assert not wrong, f"the checker says {wrong[0][1]}, the referee {wrong[0][0].verdict}"
        answer |= {case.verdict > 0 for case in several}
    assert answer == {False, True}


def check_kernels(game: Game) -> None:
    """The referee reaches as many positions as the compiled kernels, where the game has them."""
    count = COUNTS.get(game.slug)
    if count is None:
        return
    compared = 0
    for start in starts(game, 1):
        for deal in deals(game, 2):
            counts = count(game, deal, start.rules)
            if counts is not None:
                ours, theirs = counts
                assert ours == theirs, f"kernels reach others under {start.rules}"
                compared += sum(ours)
    assert compared > 100


# --- what a person sees --------------------------------------------------------------------------


def leaves(data: Any) -> Iterator[Any]:
    """The values of plain data, in order."""
    if isinstance(data, dict):
        for key in data:
            yield from leaves(data[key])
    elif isinstance(data, list):
        for each in data:
            yield from leaves(each)
    else:
        yield data


def permuted(game: Game, deal: Deal, chooser: random.Random) -> Deal:
    """A deal that looks the same at the start: other cards at its hidden places."""
    cards = deal.as_array()
    places = list(game.hidden)
    cards[chooser.sample(places, len(places))] = cards[places]
    return game.deal(cards)


def check_observation(game: Game) -> None:
    """An observation hides cards and changes nothing else; the rest decides which moves there are.

    Two deals that look the same are played alike until a card is turned up that differs.
    """
    chooser = random.Random(f"{game.slug} is looked at")
    alike = 0
    least = 2 * len(game.rulesets.presets)
    # Some games show a hidden card by nearly every move: more of them are played.
    for number, start in enumerate(cycle(starts(game, 2))):
        if number >= least and (alike > 10 or number > 20 * least):
            break
        (deal,) = deals(game, 1)
        others = game.start(permuted(game, deal, chooser), start.rules)
        first = game.start(deal, start.rules)
        shown = list(leaves(first.observation()))
        assert shown.count(HIDDEN) == len(game.hidden), "not as many cards are hidden as said"
        for position, legal, move in random_game(first, chooser):
            seen, known = position.observation(), position.to_json()
            for here, there in zip(leaves(seen), leaves(known), strict=True):
                assert here == there or (here == HIDDEN and there in NAMES)
            if seen != others.observation():
                break
            assert legal == list(others.legal_moves()), "a hidden card decides what is legal"
            assert position.progress == others.progress
            others = others.play(move)
            alike += 1
    assert alike > 10


def check_renderer(game: Game) -> None:
    """The game has a renderer that draws it."""
    renderer = renderer_of(game.slug)
    assert renderer is not None
    assert "const GAME" in renderer.script
    check_drawing(game, renderer)


def check_drawing(game: Game, renderer: Renderer) -> None:
    """The table shows every card in every position, and tells each move in words."""
    chooser = random.Random(f"{game.slug} is shown")
    for start in starts(game, 1):
        moves = [move for _, _, move in random_game(start, chooser)]
        piles, shown = steps(renderer, start, moves)
        names = sorted(name for pile in piles.values() for name in pile)
        assert len(set(names)) == len(names) == game.cards, "not every card is drawn once"
        assert {name[:2] for name in names} <= NAMES
        assert len(shown) == len(moves)
        for (step, changes), move in zip(shown, moves, strict=True):
            piles = changed(piles, changes)
            assert sorted(name for pile in piles.values() for name in pile) == names
            assert step.name == str(move), "a move is called another"
            assert step.sentence.endswith(".")
            assert set(step.moved) <= set(names)


CHECKS = (
    check_identity,
    check_rulesets,
    check_translation,
    check_dealers,
    check_deals,
    check_wrong_deals,
    check_moves,
    check_play,
    check_wrong_positions,
    check_checker,
    check_kernels,
    check_observation,
    check_renderer,
)
