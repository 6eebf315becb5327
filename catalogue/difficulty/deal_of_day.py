"""The deal of the day, and random winnable deals: functions of a key, for which nothing is stored.

A key gives an endless list of seeds, each as likely as any other. A solver with a small budget in
nodes decides their deals, and those that it wins are the list of winnable deals of the key. So the
list is the same on every installation of a version, whatever its catalogue holds.

The first seven of the list whose key is an ISO week with the ruleset are the deals of that week: on
Monday the easiest, on Sunday the hardest. The yardstick is how many of 200 games the player that
plays at random wins, and between equal numbers how few nodes the solver took; it is a function of
the deal alone, and depends on no fit of levels. Where nobody's nodes tell how hard a deal is, as in
Spider, the deal is the first that the solver won of the list whose key is the date with the
ruleset; that solver plays without peeking, so that a person may win the deal, too.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from catalogue.asking import shown_win
from engine.dealing.dealers import Dealer, get_dealer
from engine.errors import BadInput
from engine.game import Deal, Rules
from engine.games import game_of
from engine.proof import check_wins
from engine.rulesets import parse_ruleset
from solvers.choice import Ability, capable, default_grader
from solvers.outcome import Outcome, Result
from solvers.solver import Solver, configure

# Raised when what is below, or what it rests on, makes another deal that of a day. A test compares
# some days with what is written there.
VERSION = 1
# The parameters of a solver here, of those that it has.
_BUDGET = {"nodes": 200_000, "memory_mib": 64, "width": 100}
# Nodes and deals between two wins at most, of a ruleset under which hardly any can be won: seconds.
_NODES_MOST, _TRIED_MOST = 10_000_000, 2_000
# Deals of a week, and games on each.
LEVELS = 7
_GAMES = 200


class WinnableDeal(NamedTuple):
    """A deal that a solver won: its seed, its cards and the outcome."""

    seed: int
    deal: Deal
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class DealOfDay:
    """The deal of a day under a ruleset.

    Attributes:
        date: the day, as ISO 8601 has it.
        deal: name of the deal.
        ruleset: slug.
        weekday_level: 1 to `LEVELS`, from the easiest on Monday to the hardest on Sunday; None
            where no solver measures how hard deals are.
        length: moves of a solution, which the referee has replayed.
        version: of the choice.
    """

    date: str
    deal: str
    ruleset: str
    weekday_level: int | None
    length: int
    version: int = VERSION

    @property
    def sentence(self) -> str:
        """Of which level it is, for people."""
        if self.weekday_level is None:
            return "drawn without regard to how hard it is"
        return (
            f"number {self.weekday_level} of the {LEVELS} of the week, from the easiest on Monday "
            "to the hardest on Sunday"
        )


def deal_of_day(day: date, ruleset: str) -> DealOfDay:
    """The deal of a day.

    Raises:
        BadInput: unknown ruleset, or there is no solver for it, or it won none of many deals.
    """
    rules = parse_ruleset(ruleset)
    slug = rules.slug
    year, week, weekday = day.isocalendar()
    grades = default_grader(rules).method.grades
    chosen = _of_week(year, week, slug)[weekday - 1] if grades else _of_date(day.isoformat(), slug)
    return DealOfDay(
        day.isoformat(),
        f"{usual_dealer(rules).slug}:{chosen.seed}",
        slug,
        weekday if grades else None,
        shown_length(chosen, rules),
    )


def shown_length(found: WinnableDeal, rules: Rules) -> int:
    """The moves of a win of a deal as people see it, which the referee has replayed."""
    game, moves = game_of(rules), found.outcome.moves
    assert moves is not None  # it is a win
    (fault,) = check_wins(game, found.deal.as_array()[None], rules, [moves])
    if fault is not None:
        raise AssertionError(f"{found.deal.digest}: {fault}")
    win = tuple(game.unpack(moves))
    return len(shown_win(game.start(found.deal, rules), win, found.outcome.nodes))


def usual_dealer(rules: Rules) -> Dealer:
    """The dealer of deals that are chosen for people: the first of the game."""
    return get_dealer(game_of(rules).dealings[0].dealer.slug)


@lru_cache(maxsize=64)
def _of_week(year: int, week: int, slug: str) -> list[WinnableDeal]:
    """The deals of a week, from Monday to Sunday."""
    rules = parse_ruleset(slug)
    dealer, key = usual_dealer(rules), f"week {VERSION} {year}-W{week:02} {slug}"
    drawn = winnable_deals(rules, dealer, key, dealer.drawn)
    return _by_difficulty(list(islice(drawn, LEVELS)), rules)


@lru_cache(maxsize=64)
def _of_date(iso: str, slug: str) -> WinnableDeal:
    rules = parse_ruleset(slug)
    dealer = usual_dealer(rules)
    return next(winnable_deals(rules, dealer, f"day {VERSION} {iso} {slug}", dealer.drawn))


def winnable_deals(
    rules: Rules, dealer: Dealer, key: str, seeds: int | None = None
) -> Iterator[WinnableDeal]:
    """The winnable deals of a key, one after another, without an end.

    Each deal of the dealer that the solver wins within its budget is as likely as any other.

    Args:
        rules: the ruleset.
        dealer: the dealer.
        key: any text.
        seeds: a number of the first ones of the dealer; None for all.

    Raises:
        BadInput: no solver plays the ruleset, or it won none of many deals in a row.
    """
    solver, game = quick_solver(rules), game_of(rules)
    count = dealer.max_seed - dealer.min_seed + 1
    count = count if seeds is None else min(count, seeds)
    number = tried = nodes = 0
    while tried < _TRIED_MOST and nodes < _NODES_MOST:
        digest = hashlib.sha256(f"{key}\0{dealer.slug}\0{number}".encode()).digest()
        seed = dealer.min_seed + int.from_bytes(digest) % count
        deal = dealer.deal(seed, game)
        (outcome,) = solver.solve(deal.as_array()[None], rules)
        number, tried, nodes = number + 1, tried + 1, nodes + outcome.nodes
        if outcome.result is Result.WON and outcome.moves is not None:
            tried = nodes = 0
            yield WinnableDeal(seed, deal, outcome)
    raise BadInput(f"{solver} won none of {tried:,} deals in a row under {rules.slug}")


def quick_solver(rules: Rules) -> Solver:
    """Who draws deals of a ruleset for people, with the small budget that it has here."""
    method = default_grader(rules).method
    names = {parameter.name for parameter in method.parameters}
    return configure(method, {name: _BUDGET[name] for name in _BUDGET if name in names})


def _by_difficulty(choice: list[WinnableDeal], rules: Rules) -> list[WinnableDeal]:
    """The deals by the yardstick, the easiest first."""
    player = capable(rules, Ability.RANDOM)
    wins = np.zeros(len(choice), dtype=np.int64)
    if player is not None:
        cards = np.stack([each.deal.as_array() for each in choice])
        for number in range(_GAMES):
            games = configure(player.method, {"random_seed": number}).decide(cards, rules)
            wins += [game.result is Result.WON for game in games]
    nodes = np.array([each.outcome.nodes for each in choice])
    return [choice[at] for at in np.lexsort((nodes, -wins)).tolist()]
