"""Solutions for checkers with the verdicts of the plain referee, which is their twin.

A *walk* is a game that the referee played: moves of a recorded win, as far as another ruleset has
them too, then legal moves at random. Along it every move of the notation can be tried, and bytes
that are none: the referee says what each is at its place, so the verdicts on thousands of solutions
are known from one replay.

The wins of `tests/data/wins.json` (ruleset, deal, packed moves) were found by `exact-plain`,
`spider-player` and, for ``spider-1-relaxed``, `monkey`; those of Klondike are the ones that return
cards from the foundations and use up the redeals, where there were such.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.checkers import NO_WIN, WINS, Checker
from engine.dealing.dealers import get_dealer
from engine.errors import BadMove
from engine.game import Deal, Game, Move, Rules
from engine.games import get_game
from engine.rulesets import parse_ruleset
from paths import DATA


@dataclass(frozen=True)
class Win:
    """A recorded win."""

    rules: Rules
    deal: Deal
    moves: tuple[Move, ...]


@dataclass(frozen=True)
class Case:
    """A packed solution of a deal, and the referee's verdict on it."""

    rules: Rules
    cards: NDArray[np.uint8]
    packed: bytes
    verdict: int


@dataclass(frozen=True)
class Walk:
    """A game played by the referee: its positions, and the moves between them."""

    game: Game
    deal: Deal
    positions: list[Any]
    moves: list[Any]

    @cached_property
    def packed(self) -> bytes:
        return self.game.pack(self.moves)

    @cached_property
    def cards(self) -> NDArray[np.uint8]:
        return self.deal.as_array()

    def case(self, packed: bytes, verdict: int) -> Case:
        return Case(self.positions[0].rules, self.cards, packed, verdict)

    def whole(self) -> Case:
        """The game itself."""
        return self.case(self.packed, WINS if self.positions[-1].is_won else NO_WIN)

    def tried(self, words: Sequence[bytes], place: int) -> Iterator[Case]:
        """The game up to a place, with each of these words as its last move."""
        position = self.positions[place]
        before = self.packed[: place * self.game.move_size]
        for word in words:
            try:
                (move,) = self.game.unpack(word)
                legal = position.why_illegal(move) is None
            except BadMove:
                legal = False
            after = WINS if legal and position.play(move).is_won else NO_WIN
            yield self.case(before + word, after if legal else place + 1)

    def damaged(self, chooser: Random, count: int) -> Iterator[Case]:
        """The game with a wrong move somewhere, and what followed it, or anything else, behind."""
        size = self.game.move_size
        packed = self.packed
        for _ in range(count):
            place = chooser.randrange(len(self.moves) + 1)
            tried = self.tried(some_words(self.game, chooser, 20), place)
            wrong = [case for case in tried if case.verdict == place + 1]
            if wrong:
                rest = chooser.choice([packed[place * size :], chooser.randbytes(30), b"\0"])
                yield self.case(wrong[0].packed + rest, place + 1)


@cache
def recorded_wins(game: str) -> tuple[Win, ...]:
    """The recorded wins of a game."""
    found = []
    for ruleset, name, packed in json.loads((DATA / "wins.json").read_text()):
        rules = parse_ruleset(ruleset)
        if rules.game == game:
            dealer, seed = name.split(":")
            own = get_game(game)
            deal = get_dealer(dealer).deal(int(seed), own)
            found.append(Win(rules, deal, own.unpack(bytes.fromhex(packed))))
    assert found
    return tuple(found)


def walk(
    game: Game, deal: Deal, rules: Rules, chooser: Random, line: Sequence[Any], further: int
) -> Walk:
    """Play a line as far as it is legal, then moves at random, each kind as likely as another."""
    positions: list[Any] = [game.start(deal, rules)]
    moves: list[Any] = []
    for move in line:
        if positions[-1].why_illegal(move) is not None:
            break
        moves.append(move)
        positions.append(positions[-1].play(move))
    for _ in range(further):
        legal = positions[-1].legal_moves()
        if not legal:
            break
        kind = chooser.choice(sorted({move.kind.name for move in legal}))
        moves.append(chooser.choice([move for move in legal if move.kind.name == kind]))
        positions.append(positions[-1].play(moves[-1]))
    return Walk(game, deal, positions, moves)


def walks(game: Game, rulesets: Sequence[Rules], chooser: Random) -> Iterator[Walk]:
    """Walks without end: a deal and parts of wins under any rules, the wins themselves at times."""
    wins = recorded_wins(game.slug)
    while True:
        for win in wins:
            rules = chooser.choice([win.rules, *rulesets])
            whole = chooser.random() < 0.3
            cut = len(win.moves) if whole else chooser.randrange(len(win.moves))
            yield walk(
                game, win.deal, win.rules if whole else rules, chooser, win.moves[:cut],
                chooser.choice([0, 0, 10]) if whole else chooser.randrange(60),
            )  # fmt: skip


def some_words(game: Game, chooser: Random, count: int) -> list[bytes]:
    """Words as long as a move at random: most of them moves, some not."""
    bounds = (1, 16, 120, 256)
    return [
        bytes(chooser.randrange(chooser.choice(bounds)) for _ in range(game.move_size))
        for _ in range(count)
    ]


def cases(game: Game, rulesets: Sequence[Rules], chooser: Random, games: int) -> Iterator[Case]:
    """Cases of some walks: each whole, damaged, cut, and with words tried at places of it."""
    for each in islice(walks(game, rulesets, chooser), games):
        yield each.whole()
        yield from each.damaged(chooser, 5)
        for _ in range(4):
            place = chooser.randrange(len(each.positions))
            yield from each.tried(some_words(game, chooser, 4), place)
            if each.positions[place].legal_moves():
                move = chooser.choice(each.positions[place].legal_moves())
                yield from each.tried([game.pack([move])], place)


def differences(check: Checker, several: Sequence[Case]) -> list[tuple[Case, int]]:
    """The cases on which a checker gives another verdict than the referee, each with its own."""
    by_rules: dict[Rules, list[Case]] = {}
    for case in several:
        by_rules.setdefault(case.rules, []).append(case)
    found = []
    for rules, group in by_rules.items():
        cards = np.array([case.cards for case in group])
        verdicts = check(cards, rules, [case.packed for case in group]).tolist()
        found += [
            (case, verdict)
            for case, verdict in zip(group, verdicts, strict=True)
            if verdict != case.verdict
        ]
    return found
