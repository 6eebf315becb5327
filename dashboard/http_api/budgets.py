"""Budgets of requests: what one may cost, what of it is spent at first, and what goes on after it.

A verdict is first searched for about a millisecond, which decides most deals, then looked up in
the catalogue, and then searched for within the budget of the request. A solution is looked up
first: the catalogue may have a shorter one. So is what only a player's game could win.
"""

from dataclasses import replace
from shlex import quote
from typing import Any
from urllib.parse import urlencode

from catalogue.asking import Answer, Knowledge, Question, answer
from catalogue.settings import get_settings
from dashboard.http_api.problems import Problem
from dashboard.http_api.shapes import MovesParameters
from dashboard.http_api.stored import catalogue
from solvers.deciding import Budget, Ending

# The search that every request may do: some milliseconds, and MiB of memory for each thread.
_QUICK_NODES = 32_000
QUICK = Budget(1_000.0, _QUICK_NODES, 16, 4_000)
# Time for the moves of a position before they go to the lane of long searches.
MOVES_MILLISECONDS = 250.0
_THOROUGH_MIB = 256
# The next budget that is offered, as a multiple of the last.
_MORE = 10


def most() -> Budget:
    """The largest budget of a request to this server."""
    settings = get_settings()
    return Budget(round(1000 * settings.api_seconds), settings.api_nodes)


def budget_of(asked: MovesParameters, largest: Budget) -> Budget:
    """The budget of a request.

    Raises:
        Problem: it is more than the server has.
    """
    nodes: int | None = getattr(asked, "nodes", None)
    for name, wanted, limit in (
        ("nodes", nodes or 0, largest.nodes or 0),
        ("milliseconds", asked.milliseconds, round(largest.milliseconds)),
    ):
        if wanted > limit:
            raise Problem(
                400,
                f"{name}={wanted} is more than this server searches for a request: {limit:,} at "
                "most; `thoughtful solve` has no such limit",
            )
    if nodes is None:
        return Budget(asked.milliseconds)
    return Budget(asked.milliseconds, nodes, _THOROUGH_MIB, 2 * _QUICK_NODES)


def quick(question: Question) -> Answer:
    """The answer that milliseconds suffice for, of moves those of a fraction of a second.

    Raises:
        BadInput: the position is none that a table could show.
    """
    whole = question.budget
    if question.about == "moves":
        small = replace(whole, milliseconds=min(MOVES_MILLISECONDS, whole.milliseconds))
    else:
        milliseconds = min(QUICK.milliseconds, whole.milliseconds)
        nodes = _QUICK_NODES if whole.nodes is None else min(_QUICK_NODES, whole.nodes)
        small = replace(QUICK, milliseconds=milliseconds, nodes=nodes)
    first = question.within(small)
    if question.about != "verdict":
        return answer(first, catalogue)
    found = answer(first)
    if found.ending is None:
        return found
    return Knowledge(first, catalogue).of(question.position) or found


def goes_on(found: Answer, whole: Budget) -> bool:
    """Whether a whole budget has more of what a quick answer lacked."""
    small = found.question.budget
    return {
        Ending.NODES: whole.nodes is None or whole.nodes > (small.nodes or 0),
        Ending.TIME: whole.milliseconds > small.milliseconds,
        Ending.MEMORY: whole.memory_mib > small.memory_mib,
    }.get(found.ending or Ending.NO_SOLVER, False)


def next_search(
    found: Answer, text: str, asked: MovesParameters, largest: Budget
) -> dict[str, Any] | None:
    """The call, or the command, that goes on where the budget of a request did not suffice."""
    ending, about = found.ending, found.question.about
    if ending in (None, Ending.NO_SOLVER):
        return None
    nodes: int = getattr(asked, "nodes", 0)
    further = {
        "nodes": min(largest.nodes or 0, _MORE * nodes),
        "milliseconds": min(round(largest.milliseconds), _MORE * asked.milliseconds),
    }
    gains = further["nodes"] > nodes or further["milliseconds"] > asked.milliseconds
    if ending == Ending.MEMORY or not gains:
        named = found.question.name if found.question.is_deal else None
        what = quote(named or "FILE") if found.question.is_deal else "--position FILE"
        command = f"thoughtful solve {what} --rules {found.question.rules.slug}"
        return {"method": None, "href": None, "command": command}
    parameters = {
        # The text of a POST request is sent again.
        "deal": text if len(text) <= 1_000 else None,
        "rules": found.question.rules.slug,
        "line": asked.line,
        "form": asked.form,
        "notation": getattr(asked, "notation", None),
        **further,
    }
    query = urlencode({name: value for name, value in parameters.items() if value})
    method = "GET" if parameters["deal"] else "POST"
    return {"method": method, "href": f"/api/v1/{about}?{query}", "command": None}
