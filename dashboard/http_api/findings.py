"""Answers about a position: verdict, solution, moves; plain data, and for how long it holds.

A verdict is first searched for about a millisecond, which decides most deals, then looked up in
the catalogue, and then searched for within the budget of the request. A solution is looked up
first: the catalogue may have a shorter one. So is what only a player's game could win.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any
from urllib.parse import urlencode

from catalogue import asking
from catalogue.asking import Answer
from catalogue.settings import get_settings
from dashboard.http_api.questions import PositionQuestion
from dashboard.http_api.stored import knowledge
from engine.game import Move, Position
from engine.games import game_of
from engine.notations import OWN, list_moves
from solvers.deciding import Budget, Ending, Verdict, ending_words
from solvers.registry import decider

# Nodes of the search that every request may do: some milliseconds.
QUICK_NODES = 32_000
_QUICK_MILLISECONDS = 1_000
_QUICK_FIRST = 4_000
# MiB of a search's memory: each thread keeps its own.
_QUICK_MIB = 16
_THOROUGH_MIB = 256
# The next budget that is offered, as a multiple of the last.
_MORE = 10


@dataclass(frozen=True, slots=True)
class RequestBudget:
    """The nodes and the time that a request may take."""

    nodes: int
    milliseconds: int


def most() -> RequestBudget:
    """The largest budget of a request to this server."""
    settings = get_settings()
    return RequestBudget(settings.api_nodes, round(1000 * settings.api_seconds))


@dataclass(frozen=True, slots=True)
class Telling:
    """An answer, and whether it holds for as long as the solver does not change.

    Attributes:
        told: plain data.
        final: whether it is decided.
        ending: else, what ended the search.
    """

    told: dict[str, Any]
    final: bool
    ending: Ending | None = None


def quick(
    kind: str, asked: PositionQuestion, budget: RequestBudget, notation: str | None
) -> Telling | None:
    """The answer if milliseconds suffice for it; None if not.

    Raises:
        BadInput: the position is none that a table could show, or the notation none of the game.
    """
    who = decider(asked.rules)
    # What is stored may be shorter, or found sooner than by a game.
    looks_first = kind == "solution" or who is None or not who.method.decides
    if looks_first:
        found = _of_catalogue(kind, asked, budget, notation)
        if found is not None:
            return found
    milliseconds = min(_QUICK_MILLISECONDS, budget.milliseconds)
    decided = asking.answer(
        asked.position,
        Budget(milliseconds, min(QUICK_NODES, budget.nodes), _QUICK_MIB, _QUICK_FIRST),
        asked.deal,
    )
    if decided.ending is None:
        return _told(kind, asked, decided, budget, notation)
    if not looks_first:
        found = _of_catalogue(kind, asked, budget, notation)
        if found is not None:
            return found
    spends_all = {
        Ending.NODES: budget.nodes <= QUICK_NODES,
        Ending.TIME: budget.milliseconds <= _QUICK_MILLISECONDS,
        Ending.MEMORY: False,
    }
    if spends_all.get(decided.ending, True):
        return _told(kind, asked, decided, budget, notation)
    return None


def thorough(
    kind: str, asked: PositionQuestion, budget: RequestBudget, notation: str | None
) -> Telling:
    """The answer by a search within the whole budget.

    Raises:
        BadInput: the position is none that a table could show, or the notation none of the game.
    """
    own = Budget(budget.milliseconds, budget.nodes, _THOROUGH_MIB, 2 * QUICK_NODES)
    decided = asking.answer(asked.position, own, asked.deal, knowledge(asked.origin, asked.rules))
    return _told(kind, asked, decided, budget, notation)


def marked_moves(asked: PositionQuestion, budget: RequestBudget) -> Telling:
    """The legal moves, the best first, each with the verdict on the position after it.

    Raises:
        BadInput: the position is none that a table could show.
    """
    own = Budget(float(budget.milliseconds))
    found = asking.marked_moves(asked.position, own, knowledge(asked.origin, asked.rules))
    told = _heading(asked) | asking.analysis_as_data(asked.position, found)
    if found.ending is not None:
        told |= _undecided("moves", asked, found.ending, budget, None)
    else:
        told |= {"reason": None, "next_search": None}
    return Telling(told, found.complete, found.ending)


def _heading(asked: PositionQuestion) -> dict[str, Any]:
    return {"deal": asked.name, "digest": asked.digest, "rules": asked.rules.slug}


def _of_catalogue(
    kind: str, asked: PositionQuestion, budget: RequestBudget, notation: str | None
) -> Telling | None:
    """The answer of the catalogue, if it has one of this kind."""
    found = knowledge(asked.origin, asked.rules).of(asked.position)
    if found is None:
        return None
    if kind == "solution" and found.verdict == Verdict.WINNABLE and not found.moves:
        return None  # only the verdict is stored
    return _told(kind, asked, found, budget, notation)


def _told(
    kind: str, asked: PositionQuestion, found: Answer, budget: RequestBudget, notation: str | None
) -> Telling:
    """An answer as plain data."""
    told = _heading(asked) | {
        "verdict": found.verdict,
        "source": found.source,
        "solver": found.solver,
        "follows_from": found.follows_from,
        "nodes": found.nodes,
        "length": len(found.moves) if found.moves or asked.position.is_won else None,
        "reason": _dead_end_words(asked, found),
        "next_search": None,
    }
    if found.ending is not None:
        told |= _undecided(kind, asked, found.ending, budget, notation)
    told |= _moves(kind, asked.position, found.moves, notation)
    return Telling(told, found.ending is None, found.ending)


def _dead_end_words(asked: PositionQuestion, found: Answer) -> str | None:
    dead, game = found.dead_end, game_of(asked.rules)
    if dead is None or game.load_dead_ends is None or asked.deal is None:
        return None
    return game.load_dead_ends().explain(asked.deal, asked.rules, dead.kind, dead.witness)


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
    kind: str, asked: PositionQuestion, ending: Ending, budget: RequestBudget, notation: str | None
) -> dict[str, Any]:
    """Why there is no verdict, and the call that goes on."""
    own = Budget(budget.milliseconds, budget.nodes, _THOROUGH_MIB)
    reason = ending_words(ending, own, decider(asked.rules), asked.rules.slug)
    if ending in (Ending.NO_SOLVER, Ending.GAME):
        return {"reason": reason, "next_search": None}
    largest = most()
    further = RequestBudget(
        min(largest.nodes, _MORE * budget.nodes),
        min(largest.milliseconds, _MORE * budget.milliseconds),
    )
    gains = further.nodes > budget.nodes or further.milliseconds > budget.milliseconds
    if ending == Ending.MEMORY or not gains:
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
