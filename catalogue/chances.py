"""The chance of each play of a position of which some cards are not known, by independent games.

A *completion* is the position with its unknown cards dealt at random, all ways to deal them having
equal chances (`engine.game.Game.fill_in`): of a fairly shuffled deal nothing else is known,
whatever has been played. In a *game* a play is made in a completion, and then a player plays on
that sees only what a person would see, each time with other random numbers. So the games of a play
are independent, and their share of wins is the chance of *this player*: another one wins more often
or less.

All plays are tried in the same completions. A play whose interval lies below that of another one is
not tried any further. Since games are counted while they are looked at, the intervals are those of
a confidence sequence, which holds at every number of games.
"""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from catalogue.statistics import Interval, confidence_sequence
from engine.errors import BadInput
from engine.game import Move, Position, Rules
from engine.games import game_of
from engine.replay import replay
from solvers.advice import Advice
from solvers.choice import Ability, capable, quick_player
from solvers.outcome import Result
from solvers.solver import Solver, configure, parse_solver

LEVEL = 0.95
# Time by the clock, and most completions, of `plays_by_chance`.
SECONDS = 5.0
_MOST = 2_000


@dataclass(slots=True)
class PlayChance:
    """A play with the games that began with it.

    Attributes:
        moves: standard moves up to the first card that turns up.
        wins: of its games.
        games: their number.
        advice: what the player thought of it at first, if it did.
    """

    moves: tuple[Move, ...]
    wins: int = 0
    games: int = 0
    advice: Advice | None = None

    @property
    def chance(self) -> float | None:
        """The share of its games that were won."""
        return self.wins / self.games if self.games else None

    @property
    def interval(self) -> Interval:
        """Of `chance`, at `LEVEL`."""
        return confidence_sequence(self.wins, self.games, LEVEL)

    def as_advice(self) -> Advice:
        """The play with its games in place of trajectories."""
        return Advice(self.moves, self.wins, self.games)

    def is_as_good(self, other: "PlayChance") -> bool:
        """Whether it won as often as another one, but for the error of the difference."""
        errors = (play.as_advice().error or 0.0 for play in (self, other))
        return (other.chance or 0.0) - (self.chance or 0.0) <= math.hypot(*errors)


def chances(
    observation: Mapping[str, Any],
    rules: Rules,
    player: Solver,
    *,
    samples: int,
    seconds: float | None,
    seed: int,
    advice: Sequence[Advice] = (),
    halves: bool = False,
    on_sample: Callable[[int], None] = lambda _: None,
) -> list[PlayChance]:
    """Play games from a position, and tell how many each play has won, the best first.

    But the first of the advice stands first unless the play that won most often is better by more
    than the standard error of the difference: few games tell less than a player that looks ahead.

    Args:
        observation: the JSON of a position, with ``??`` for unknown cards.
        rules: the ruleset.
        player: plays on; it must play from positions in mid-game.
        samples: most completions.
        seconds: time by the clock after which no completion begins, but the first; None for none.
        seed: of the completions and of the player's random numbers.
        advice: plays that a player thinks of, its choice first; each legal move that begins none
            of them is another one.
        halves: whether the worse half of the plays rests at equal steps of the time (Karnin,
            Koren, Somekh 2013), but for those that the player thinks of and the best two, so that
            most games tell the best from each other. A play that rests is tried again if it comes
            among the better ones.
        on_sample: called after each completion with their number.

    Raises:
        BadInput: what is seen is impossible, or the player cannot play on.
    """
    game = game_of(rules)
    if game.fill_in is None:
        raise BadInput(f"positions of {game.name} with unknown cards cannot be completed")
    if player.method.solve_position is None:
        raise BadInput(
            f"{player.method.slug} plays only from the start of a deal: its games from here "
            "cannot be counted"
        )
    begin = time.monotonic()
    first = game.fill_in(observation, rules, _random(seed, 0))
    plays = _plays(first, advice)
    for number in range(samples):
        spent = 0.0
        if number and seconds is not None:
            spent = (time.monotonic() - begin) / max(seconds, 1e-9)
        if spent >= 1:
            break
        position = game.fill_in(observation, rules, _random(seed, number))
        own = _seeded(player, seed, number)
        for play in _best(plays, spent) if halves else _worth_trying(plays):
            after = replay(position, play.moves)
            play.games += 1
            play.wins += after.is_won or own.solve_position(after).result == Result.WON
        on_sample(number + 1)
    choice = plays[0] if advice else None
    plays.sort(key=lambda play: (-(play.chance or 0), -play.games))
    if choice is not None and choice.is_as_good(plays[0]):
        plays.remove(choice)
        plays.insert(0, choice)
    return plays


def chosen_player(rules: Rules, named: str | None) -> Solver | None:
    """The player of a name, else `quick_player`; None without one.

    Raises:
        BadInput: there is no such player, or it looks at face-down cards.
    """
    if named is None:
        return quick_player(rules)
    player = parse_solver(named)
    player.check_plays(rules)
    if player.method.sees != "observation":
        raise BadInput(f"{player} is given the whole deal: expected a player")
    return player


def advice_on(observation: Mapping[str, Any], rules: Rules) -> Sequence[Advice]:
    """Plays that a player thinks of, for `chances`, which tries every legal move anyway."""
    thinker = capable(rules, Ability.ADVISE)
    return () if thinker is None else thinker.advise(observation, rules)


def plays_by_chance(
    observation: Mapping[str, Any], rules: Rules, seconds: float | None = None
) -> list[Advice] | None:
    """The plays of a position of which some cards are not known, the one to make first.

    Their chances are those of the player that advises; if it counts no wins, they are the shares of
    games won by `quick_player` after each; see `chances`.

    Args:
        observation: the JSON of a position, with ``??`` for unknown cards.
        rules: the ruleset.
        seconds: time by the clock for the games; by default SECONDS.

    Returns:
        The plays; empty if there is none, None if no player advises.

    Raises:
        BadInput: what is seen is impossible.
    """
    thinker = capable(rules, Ability.ADVISE)
    if thinker is None:
        return None
    advice = list(thinker.advise(observation, rules))
    quick = quick_player(rules)
    if quick is None or thinker.method.counts_wins:
        return advice
    found = chances(
        observation,
        rules,
        quick,
        samples=_MOST,
        seconds=SECONDS if seconds is None else seconds,
        seed=0,
        advice=advice,
        halves=True,
    )
    return [each.as_advice() for each in found]


def _plays(position: Position, advice: Iterable[Advice]) -> list[PlayChance]:
    found: dict[tuple[Move, ...], PlayChance] = {}
    for each in advice:
        moves = _seen_of(position, each.moves)
        found.setdefault(moves, PlayChance(moves, advice=each))
    begun = {moves[0] for moves in found}
    for move in position.legal_moves():
        if move not in begun:
            found[(move,)] = PlayChance((move,))
    return list(found.values())


def _seen_of(position: Position, moves: Sequence[Move]) -> tuple[Move, ...]:
    """The moves up to the first one that turns a card up: those after it depend on the card."""
    for count, move in enumerate(moves, start=1):
        hidden = _hidden(position)
        position = position.play(move)
        if _hidden(position) < hidden:
            return tuple(moves[:count])
    return tuple(moves)


def _hidden(position: Position) -> int:
    """The number of cards of the columns that lie face down."""
    return sum(map(len, position.to_json()["down"]))


def _best(plays: Sequence[PlayChance], spent: float) -> list[PlayChance]:
    """The plays that are left once a share of the time is spent, 0 to 1; see `chances`."""
    rounds = max(1, (len(plays) - 1).bit_length())
    left = max(2, -(-len(plays) // 2 ** int(spent * rounds)))
    ranked = sorted(plays, key=lambda play: -(play.chance or 0.0))
    return [play for at, play in enumerate(ranked) if at < left or play.advice is not None]


def _worth_trying(plays: Sequence[PlayChance]) -> list[PlayChance]:
    if len(plays) == 1 or not all(play.games for play in plays):
        return list(plays)
    floor = max(play.interval.low for play in plays)
    return [play for play in plays if play.interval.high >= floor]


def _random(seed: int, number: int) -> Random:
    return Random(f"{seed}:{number}")


def _seeded(player: Solver, seed: int, number: int) -> Solver:
    """The player with random numbers of its own for a completion, if it has any."""
    values = dict(player.values)
    if "random_seed" not in values:
        return player
    return configure(player.method, values | {"random_seed": (seed + number) % 2**31})
