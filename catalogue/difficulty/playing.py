"""The games that a fit rests on: a job of an exact solver and of players of graded strength."""

from collections.abc import Sequence

from catalogue.jobs.queue import submit
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample
from engine.errors import BadInput
from engine.game import Rules
from solvers import registry
from solvers.traits import tracer


def submit_games(
    cat: Catalogue, rules: Rules, sample: Sample, players: Sequence[registry.Solver]
) -> int:
    """Queue the games of players on a sample, and what tells which deals are winnable.

    Raises:
        BadInput: no solver tells the plays of the ruleset, or see `catalogue.jobs.queue.submit`.
    """
    return submit(cat, rules.slug, sample, submitted_solvers(rules, players))


def submitted_solvers(rules: Rules, players: Sequence[registry.Solver]) -> tuple[str, ...]:
    """The solvers of that job as text: the one that tells which deals are winnable, and players.

    Raises:
        BadInput: no solver tells the plays of the ruleset.
    """
    return tuple(dict.fromkeys(str(each) for each in (tracer(rules), *players)))


def chosen_players(rules: Rules, players: Sequence[str] | None) -> list[registry.Solver]:
    """The players of a fit, given as text; by default `solvers.registry.ladder`.

    Raises:
        BadInput: no solver tells the plays of the ruleset, a name is not of a player, or there is
            no ladder.
    """
    tracer(rules)
    chosen = [registry.parse_solver(name) for name in players or ()] or registry.ladder(rules)
    for each in chosen:
        if each.method.sees != "observation":
            raise BadInput(f"{each} sees the hidden cards: expected a player, which does not")
    if not chosen:
        raise BadInput(f"no players of graded strength are known under {rules.slug}: name some")
    return chosen
