"""Puzzles: positions of games in which one play alone keeps the win, functions of a key.

A key gives an endless list of deals. Players play each of them, and where one loses a game that
could be won, the position before the play that lost it (`solvers.regret`) is looked at. It makes a
puzzle if there are `FEWEST` plays or more, one of which keeps the win, while a complete search
proves of all others that they lose. A play is a card moved for good, with turns of the stock and
moves that can be taken back before it (`engine.game.PuzzlePlays`). Safe moves, which lose nothing,
are made before the question is asked. So the puzzle of a key is the same on every installation of
a version, whatever its catalogue holds.

All cards are known to somebody who solves a puzzle; to the players of a game with hidden cards at
least two were hidden, since with fewer they calculate. Where hardly any play can be proved to
lose, as in Spider before all rows are dealt or with several suits, there are no puzzles.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import chain
from typing import Any, NamedTuple

from catalogue.asking import shown_win
from catalogue.difficulty.deal_of_day import usual_dealer
from catalogue.difficulty.grading import LEVELS
from catalogue.difficulty.playable import PLAYED
from catalogue.difficulty.puzzle_rating import finds_of, shipped_puzzle_model
from engine.cards import HIDDEN
from engine.dealing.dealers import Dealer
from engine.errors import BadInput
from engine.game import Deal, Move, Position, PuzzlePlays, Rules, TooManyPlays
from engine.games import game_of
from engine.replay import positions, replay, without_loops
from engine.rulesets import parse_ruleset
from engine.safe_moves import safe_moves
from solvers.choice import Ability, capable, default_player
from solvers.outcome import Result
from solvers.regret import RegretKind, find_regret
from solvers.solver import Solver, configure

# Raised when the puzzle of a key may become another one. A test compares some with what is written
# there.
VERSION = 1
# Plays of a puzzle, of which one keeps the win.
FEWEST = 3
# Moves before it, so that it is more than an opening.
_OPENING = 10
# Plays to one position or another at most, each of which is decided.
_MOST = 300
# Nodes of a search for a second play that keeps the win, and of one that decides.
_QUICK_NODES, _NODES, _MEBIBYTES = 2_000, 50_000, 64
# Nodes of a search that decides an answer.
_MOST_NODES = 10_000_000
# Games of the player that plays at random on a deal.
_GAMES_AT_RANDOM = 3
# Deals of a key at most.
_TRIED_MOST = 20_000


class PuzzleState(StrEnum):
    """Whether the moves that somebody has made answer a puzzle."""

    OPEN = "open"
    SOLVED = "solved"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A puzzle: which play keeps the win?

    Attributes:
        ruleset: slug.
        deal: name of the deal of the game.
        moves: the standard moves from its start to the position.
        position: where the play is to be chosen.
        solution: the standard moves of the play that keeps the win.
        rest: the standard moves of a win after it, which the referee has replayed.
        plays: plays to choose from, which differ in the card that they move for good.
        themes: slugs of `THEMES`.
        level: 1 to 10; None where the ruleset has no model.
        level_name: the name of the level; None with it.
    """

    ruleset: str
    deal: str
    moves: tuple[str, ...]
    position: Position
    solution: tuple[str, ...]
    rest: tuple[str, ...]
    plays: int
    themes: tuple[str, ...]
    level: int | None
    level_name: str | None

    def to_json(self) -> dict[str, Any]:
        """The puzzle as plain data, with its solution."""
        return {
            "ruleset": self.ruleset,
            "deal": self.deal,
            "moves": list(self.moves),
            "position": self.position.to_json(),
            "solution": list(self.solution),
            "rest": list(self.rest),
            "plays": self.plays,
            "themes": list(self.themes),
            "level": self.level,
            "level_name": self.level_name,
        }


class OnlyPlay(NamedTuple):
    """The one play of a position that keeps its win.

    Attributes:
        moves: the play.
        others: plays of other cards, all of which lose.
        cards: the number of cards that can be moved for good.
    """

    moves: tuple[Move, ...]
    others: tuple[tuple[Move, ...], ...]
    cards: int


def puzzle_plays(rules: Rules) -> PuzzlePlays:
    """Plays and themes of a ruleset that has puzzles.

    Raises:
        BadInput: it has none.
    """
    if rules.slug not in RULESETS:
        raise BadInput(f"there are no puzzles under {rules.slug}: expected {_or(RULESETS)}")
    plays = _plays_of(rules)
    assert plays is not None
    return plays


def puzzle(ruleset: str, theme: str | None, key: str) -> Puzzle:
    """The puzzle of a key.

    Args:
        ruleset: slug, one of `RULESETS`.
        theme: slug, one of `THEMES`; None for any.
        key: any text.

    Raises:
        BadInput: unknown ruleset or theme, there are no puzzles under the ruleset, or none of the
            theme among very many deals.
    """
    check_wanted(ruleset, theme)
    return _puzzle(ruleset, theme, key)


def check_wanted(ruleset: str, theme: str | None) -> None:
    """Check that there may be puzzles of a theme, or of any, under a ruleset.

    Raises:
        BadInput: unknown ruleset or theme, or there are no puzzles under the ruleset.
    """
    plays = puzzle_plays(parse_ruleset(ruleset))
    if theme is not None and theme not in (known := themes_of(plays)):
        raise BadInput(
            f"{theme!r} is not a theme of puzzles under {ruleset}: expected {_or(tuple(known))}"
        )


@lru_cache(maxsize=256)
def _puzzle(ruleset: str, theme: str | None, key: str) -> Puzzle:
    rules = parse_ruleset(ruleset)
    dealer = usual_dealer(rules)
    for number in range(_TRIED_MOST):
        text = f"puzzle {VERSION} {rules.slug} {theme or ''}\0{key}\0{number}"
        digest = hashlib.sha256(text.encode()).digest()
        found = _of_deal(rules, dealer, int.from_bytes(digest) % dealer.drawn, theme)
        if found is not None:
            return found
    raise BadInput(f"no puzzle of the theme {theme} in {_TRIED_MOST:,} deals")


def _of_deal(rules: Rules, dealer: Dealer, seed: int, theme: str | None) -> Puzzle | None:
    """The first puzzle of a deal, of a theme if one is given."""
    game, plays = game_of(rules), puzzle_plays(rules)
    deal = dealer.deal(seed, game)
    start = game.start(deal, rules)
    for line in _lines(deal, start):
        safe = safe_moves(replay(start, line))
        position = replay(start, (*line, *safe))
        hidden = str(position.observation()).count(HIDDEN)
        if len(line) < _OPENING or (game.hidden and hidden < 2):
            continue
        only = only_play(position)
        if only is None:
            continue
        themes = (
            *plays.themes_of_doing(position, only.moves),
            *plays.themes_of_leaving(position, only.moves, only.others),
        )
        if theme is None or theme in themes:
            level = _level(position, only.moves)
            return Puzzle(
                rules.slug,
                f"{dealer.slug}:{seed}",
                tuple(map(str, without_loops(start, (*line, *safe)))),
                position,
                tuple(map(str, only.moves)),
                tuple(map(str, _win(replay(position, only.moves)))),
                only.cards,
                themes,
                level,
                None if level is None else LEVELS[level - 1],
            )
    return None


def _level(position: Position, solution: Sequence[Move]) -> int | None:
    """The level of a puzzle by the shipped model; None without one."""
    model = shipped_puzzle_model(position.rules.slug)
    return None if model is None else model.level(finds_of(position, solution, model.players))


class _NotDecidedError(Exception):
    """A position was not decided."""


class _Strict(NamedTuple):
    """Who decides each position that is asked about: games with others make no puzzles."""

    solver: Solver

    def decide_position(self, position: Position) -> Result:
        result = self.solver.decide_position(position)
        if result is Result.GAVE_UP:
            raise _NotDecidedError
        return result


def _lines(deal: Deal, start: Position) -> Iterator[tuple[Move, ...]]:
    """Games on a deal that players lost, each up to the play that lost it.

    Where puzzles begin late, a game that is lost there, or not decided quickly, is passed over.
    """
    rules = start.rules
    game, begins = game_of(rules), puzzle_plays(rules).begins
    for player in _players(rules.slug):
        (outcome,) = player.solve(deal.as_array()[None], rules)
        if outcome.played is None:
            continue
        played = game.unpack(outcome.played)
        line = list(positions(start, played))
        begun = next((at for at, each in enumerate(line) if begins(each)), None)
        if begun is None:
            continue
        first = line[begun]
        if begun and _decider(rules.slug, _QUICK_NODES).decide_position(first) is not Result.WON:
            continue
        try:
            regret = find_regret(first, played[begun:], _Strict(_decider(rules.slug, _NODES)))
        except _NotDecidedError:
            continue
        if regret.kind is RegretKind.UNWINNABLE:
            return
        if regret.kind is RegretKind.MOVE:
            assert regret.step is not None
            lost = zip(line[begun:], played[begun : begun + regret.step], strict=False)
            yield played[: begun + _last_for_good(rules, lost)]


def _last_for_good(rules: Rules, line: Iterable[tuple[Position, Move]]) -> int:
    """The number of moves up to the last one for good; the play that follows begins there."""
    is_for_good = puzzle_plays(rules).is_for_good
    return max((at for at, each in enumerate(line, start=1) if is_for_good(*each)), default=0)


def _win(position: Position) -> tuple[Move, ...]:
    """A win from a position that is known to be won, as people see it, replayed by the referee."""
    outcome = _decider(position.rules.slug, _NODES).solve_position(position)
    assert outcome.moves is not None, "a position that was won is lost"
    moves = shown_win(position, game_of(position.rules).unpack(outcome.moves), outcome.nodes)
    assert replay(position, moves).is_won, "the solver's win is none"
    return moves


def state_after(position: Position, moves: Sequence[Move]) -> PuzzleState:
    """Whether moves from the position of a puzzle keep its win.

    The first move for good answers: before it, moves that can be taken back leave the puzzle open,
    and turns of the stock unless they are proved to lose; what follows counts no more.

    Raises:
        BadInput: there are no puzzles under the ruleset, or it is not decided whether the position
            after that move can be won.
        ReplayError: the referee forbids one of the moves.
    """
    is_for_good = puzzle_plays(position.rules).is_for_good
    after = list(positions(position, moves))
    answer = next((at for at, move in enumerate(moves) if is_for_good(after[at], move)), None)
    if answer is None:
        # Turns of the stock may have lost it where several cards are turned.
        result = _decider(position.rules.slug, _NODES).decide_position(after[-1])
        return PuzzleState.LOST if result is Result.UNWINNABLE else PuzzleState.OPEN
    if after[answer + 1].is_won:
        return PuzzleState.SOLVED
    result = _decider(position.rules.slug, _MOST_NODES).decide_position(after[answer + 1])
    if result is Result.GAVE_UP:
        raise BadInput(f"{_MOST_NODES:,} nodes do not tell whether {moves[answer]} keeps the win")
    return PuzzleState.SOLVED if result is Result.WON else PuzzleState.LOST


def only_play(position: Position) -> OnlyPlay | None:
    """The one play of a position that keeps its win, all others proved to lose; None without.

    Also None if there are fewer than `FEWEST` plays, or too many to look at them all.

    Raises:
        BadInput: there are no puzzles under the ruleset.
    """
    slug = position.rules.slug
    if not puzzle_plays(position.rules).begins(position):
        return None
    quick, decider = _decider(slug, _QUICK_NODES), _decider(slug, _NODES)
    found: list[tuple[str, tuple[Move, ...]]] = []
    winner, cards = None, set[str]()
    with suppress(TooManyPlays):
        for card, moves in puzzle_plays(position.rules).plays(position):
            found.append((card, moves))
            if card in cards:
                continue
            cards.add(card)
            if quick.decide_position(replay(position, moves)) is Result.WON:
                if winner is not None:
                    return None
                winner = card
        others = tuple(moves for card, moves in found if card != winner)
        if winner is None or len(cards) < FEWEST or len(found) > _MOST:
            return None
        for moves in others:
            if decider.decide_position(replay(position, moves)) is not Result.UNWINNABLE:
                return None
        # The first play of a card is the simplest, which was won.
        solution = next(moves for card, moves in found if card == winner)
        return OnlyPlay(solution, others, len(cards))
    return None


@cache
def _players(ruleset: str) -> tuple[Solver, ...]:
    """The players whose games are looked at: quick ones, which lose many that could be won."""
    rules = parse_ruleset(ruleset)
    player = default_player(rules)
    players = [configure(player.method, {**dict(player.values), **player.method.for_puzzles})]
    at_random = capable(rules, Ability.RANDOM)
    if at_random is not None:
        for number in range(_GAMES_AT_RANDOM):
            players.append(configure(at_random.method, {"random_seed": number}))
    return tuple(players)


@cache
def _decider(ruleset: str, nodes: int) -> Solver:
    solver = capable(parse_ruleset(ruleset), Ability.DECIDE)
    assert solver is not None, "a ruleset with puzzles has a solver that decides positions"
    return configure(solver.method, {"nodes": nodes, "memory_mib": _MEBIBYTES})


def _or(words: tuple[str, ...]) -> str:
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _plays_of(rules: Rules) -> PuzzlePlays | None:
    """Plays and themes of a ruleset; None if no puzzles can be made under it."""
    load = game_of(rules).load_puzzles
    plays = None if load is None else load()
    return plays if plays is not None and plays.fits(rules) else None


def themes_of(plays: PuzzlePlays) -> dict[str, str]:
    """The themes of puzzles, their words for a player by slug."""
    return {**plays.doing, **plays.leaving}


# The rulesets that have puzzles, of those offered for play.
RULESETS = tuple(slug for slug in PLAYED if _plays_of(parse_ruleset(slug)) is not None)
# The themes of all rulesets, their words for a player by slug.
THEMES = dict(
    chain.from_iterable(themes_of(puzzle_plays(parse_ruleset(slug))).items() for slug in RULESETS)
)
