"""What is told of a position: verdict, solution, moves; plain data, and for how long it holds.

A verdict is first searched for about a millisecond, which decides most deals, then looked up in
the catalogue, and then searched for within the budget of the request. A solution is looked up
first: the catalogue may have a shorter one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any
from urllib.parse import urlencode

from catalogue.asking import StoredAnswer
from catalogue.settings import get_settings
from dashboard.http_api.questions import PositionQuestion
from dashboard.http_api.stored import stored
from engine.game import Move, Position
from engine.games import game_of
from engine.notations import OWN, list_moves
from engine.safe_moves import safe_moves
from solvers.analysis import Verdict, analyse
from solvers.deciding import Decided, Spent, decide_within
from solvers.registry import judge

# Nodes of the search that every request may do: some milliseconds.
QUICK_NODES = 32_000
_QUICK_FIRST = 4_000
# MiB of a search's memory: each thread keeps its own.
_QUICK_MIB = 16
_THOROUGH_MIB = 256
# The next budget that is offered, as a multiple of the last.
_MORE = 10

CATEGORIES = {
    Verdict.WIN: "winnable",
    Verdict.LOSS: "unwinnable",
    Verdict.UNKNOWN: "undecided",
}


@dataclass(frozen=True, slots=True)
class Budget:
    """What a request may cost."""

    nodes: int
    milliseconds: int


def most() -> Budget:
    """The largest budget of a request to this server."""
    settings = get_settings()
    return Budget(settings.api_nodes, round(1000 * settings.api_seconds))


@dataclass(frozen=True, slots=True)
class Telling:
    """What is told, and whether it holds for as long as the solver does not change."""

    told: dict[str, Any]
    final: bool


def quick(
    kind: str, asked: PositionQuestion, budget: Budget, notation: str | None
) -> Telling | None:
    """The answer if milliseconds suffice for it; None if not.

    Raises:
        BadInput: the position is none that a table could show, or the notation none of the game.
    """
    if kind == "solution":
        found = _of_catalogue(kind, asked, notation)
        if found is not None:
            return found
    decided = decide_within(
        asked.position,
        min(QUICK_NODES, budget.nodes),
        min(1_000.0, budget.milliseconds),
        _QUICK_MIB,
        asked.deal,
        first_nodes=_QUICK_FIRST,
    )
    if decided.spent is None:
        return _searched(kind, asked, decided, budget, notation)
    if kind == "verdict":
        found = _of_catalogue(kind, asked, notation)
        if found is not None:
            return found
    if decided.spent in (Spent.NO_JUDGE, Spent.TIME) or budget.nodes <= QUICK_NODES:
        return _searched(kind, asked, decided, budget, notation)
    return None


def thorough(kind: str, asked: PositionQuestion, budget: Budget, notation: str | None) -> Telling:
    """The answer by a search within the whole budget.

    Raises:
        BadInput: the position is none that a table could show, or the notation none of the game.
    """
    decided = decide_within(
        asked.position,
        budget.nodes,
        budget.milliseconds,
        _THOROUGH_MIB,
        asked.deal,
        first_nodes=2 * QUICK_NODES,
    )
    return _searched(kind, asked, decided, budget, notation)


def marked_moves(asked: PositionQuestion, budget: Budget) -> Telling:
    """The legal moves, the best first, each with the category of the position after it.

    Raises:
        BadInput: the position is none that a table could show.
    """
    found = analyse(asked.position, float(budget.milliseconds))
    told = _heading(asked) | {
        "category": CATEGORIES[found.verdict],
        "won": asked.position.is_won,
        "complete": found.complete,
        "moves": [
            {
                "move": str(each.move),
                "category": CATEGORIES[each.verdict],
                "length": each.length,
                "wins": each.after.is_won,
            }
            for each in found.moves
        ],
        "safe": list(map(str, safe_moves(asked.position))),
    }
    if not found.complete:
        why = Spent.NO_JUDGE if judge(asked.rules) is None else Spent.TIME
        told |= _undecided("moves", asked, why, budget, None)
    else:
        told |= {"reason": None, "next_search": None}
    return Telling(told, found.complete)


def _heading(asked: PositionQuestion) -> dict[str, Any]:
    return {"deal": asked.name, "digest": asked.digest, "rules": asked.rules.slug}


def _of_catalogue(kind: str, asked: PositionQuestion, notation: str | None) -> Telling | None:
    """The answer of the catalogue, if it has one of this kind."""
    found = stored(asked.name, asked.deal, asked.rules)
    if found is None or found.verdict == Verdict.UNKNOWN:
        return None
    if kind == "solution" and found.verdict == Verdict.WIN and not found.moves:
        return None  # only the verdict is stored
    told = _heading(asked) | {
        "category": CATEGORIES[found.verdict],
        "source": "catalogue",
        "solver": found.solver,
        "follows_from": found.follows_from,
        "nodes": found.nodes,
        "length": len(found.moves) or None,
        "reason": _reason_stored(asked, found),
        "next_search": None,
    }
    return Telling(told | _moves(kind, asked.position, found.moves, notation), True)


def _reason_stored(asked: PositionQuestion, found: StoredAnswer) -> str | None:
    dead, game = found.dead_end, game_of(asked.rules)
    if dead is None or game.load_dead_ends is None or asked.deal is None:
        return None
    return game.load_dead_ends().explain(asked.deal, asked.rules, dead.kind, dead.witness)


def _searched(
    kind: str, asked: PositionQuestion, decided: Decided, budget: Budget, notation: str | None
) -> Telling:
    solver = judge(asked.rules)
    moves = () if decided.moves is None else game_of(asked.rules).unpack(decided.moves)
    told = _heading(asked) | {
        "category": CATEGORIES[decided.verdict],
        "source": "search",
        "solver": None if solver is None else f"{solver.method.slug} v{solver.method.version}",
        "follows_from": None,
        "nodes": decided.nodes,
        "length": len(moves) if decided.verdict == Verdict.WIN else None,
        "reason": None,
        "next_search": None,
    }
    if decided.spent is not None:
        told |= _undecided(kind, asked, decided.spent, budget, notation)
    return Telling(told | _moves(kind, asked.position, moves, notation), decided.spent is None)


def _moves(
    kind: str, start: Position, moves: Sequence[Move], notation: str | None
) -> dict[str, Any]:
    if kind != "solution":
        return {}
    return {
        "notation": notation or OWN,
        "moves": list_moves(moves, start, notation or OWN),
    }


def _undecided(
    kind: str, asked: PositionQuestion, spent: Spent, budget: Budget, notation: str | None
) -> dict[str, Any]:
    """Why there is no verdict, and the call that goes on."""
    if spent == Spent.NO_JUDGE:
        return {"reason": f"no solver decides {asked.rules.slug}", "next_search": None}
    limit = {
        Spent.NODES: f"{budget.nodes:,} nodes",
        Spent.TIME: f"{budget.milliseconds:,} ms",
        Spent.MEMORY: "the memory of a search on this server",
    }[spent]
    reason = f"{limit} did not suffice"
    largest = most()
    further = Budget(
        min(largest.nodes, _MORE * budget.nodes),
        min(largest.milliseconds, _MORE * budget.milliseconds),
    )
    gains = further.nodes > budget.nodes or further.milliseconds > budget.milliseconds
    if spent == Spent.MEMORY or not gains:
        return {"reason": reason, "next_search": _on_the_command_line(asked)}
    parameters = {
        "rules": asked.rules.slug,
        "line": asked.line,
        "form": asked.form,
        "notation": notation,
    }
    # The text of a POST request is sent again.
    by_post = len(asked.text) > 1_000
    if not by_post:
        parameters = {"deal": asked.text, **parameters}
    told = {name: value for name, value in parameters.items() if value}
    if kind != "moves":
        told["nodes"] = str(further.nodes)
    told["milliseconds"] = str(further.milliseconds)
    return {
        "reason": reason,
        "next_search": {
            "method": "POST" if by_post else "GET",
            "href": f"/api/v1/{kind}?{urlencode(told)}",
            "command": None,
        },
    }


def _on_the_command_line(asked: PositionQuestion) -> dict[str, Any]:
    """The command that searches without the server's limits."""
    what = "--position FILE" if asked.deal is None else quote(asked.name or "FILE")
    command = f"thoughtful solve {what} --rules {asked.rules.slug}"
    return {"method": None, "href": None, "command": command}
