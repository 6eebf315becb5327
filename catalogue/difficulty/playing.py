"""The games that a fit rests on: a job of players of graded strength, and of an exact solver.

Where trials of deals are their features, players alone play: the fit itself finds winnable deals.
"""

from collections.abc import Sequence

from catalogue.difficulty.grading import player_name
from catalogue.jobs.queue import submit
from catalogue.store import Catalogue
from engine.dealing.dealers import Sample
from engine.errors import BadInput
from engine.game import Rules
from solvers.choice import Ability, capable, ladder
from solvers.features import VERSION, tracer
from solvers.solver import Solver, parse_solver
from solvers.trials import trial_players

# Fewer deals fix neither the weights of the features nor ten levels.
FEWEST = 100


def check_fit(sample: Sample, players: Sequence[Solver]) -> None:
    """Refuse a fit that its games cannot make possible, before they are played.

    Raises:
        BadInput: too few deals, or fewer than two players.
    """
    if sample.count < FEWEST:
        raise BadInput(
            f"a fit needs {FEWEST} or more winnable deals with games: {sample} has {sample.count}"
        )
    if len({player_name(each.method.slug, dict(each.said)) for each in players}) < 2:
        raise BadInput("a fit needs two or more players: name another with --player")


def advice_of_fit(rules: Rules) -> str:
    """The command that fits levels under a ruleset, or why none does."""
    try:
        _check_graded(rules)
    except BadInput as error:
        return f"none can be fitted, since {error}"
    player = "" if ladder(rules) else " --player PLAYER --player PLAYER"
    return (
        f"fit them with `thoughtful difficulty fit SAMPLE --rules {rules.slug}{player}`, which "
        f"takes a sample with {FEWEST} or more winnable deals"
    )


def old_features(version: int, rules: Rules) -> str:
    """Features of an older version, as words, and how to get levels by newer ones."""
    newest = f"the newest is {VERSION}; for new levels, {advice_of_fit(rules)}"
    return f"features of version {version}, and {newest}"


def submit_games(cat: Catalogue, rules: Rules, sample: Sample, players: Sequence[Solver]) -> int:
    """Queue the games of players on a sample, and what tells which deals are winnable.

    Raises:
        BadInput: nothing tells how hard deals of the ruleset are, or see
            `catalogue.jobs.queue.submit`.
    """
    return submit(cat, rules.slug, sample, submitted_solvers(rules, players))


def submitted_solvers(rules: Rules, players: Sequence[Solver]) -> tuple[str, ...]:
    """The solvers of that job as text: the one that tells which deals are winnable, and players.

    Where trials of deals are their features, the fit itself finds winnable ones.

    Raises:
        BadInput: see `_check_graded`.
    """
    _check_graded(rules)
    first = capable(rules, Ability.FORGIVE)
    return tuple(dict.fromkeys(str(each) for each in (first, *players) if each is not None))


def _check_graded(rules: Rules) -> None:
    """Refuse a ruleset of which neither an analysis of plays nor trials tell how hard deals are.

    Raises:
        BadInput: so it is.
    """
    if not trial_players(rules):
        tracer(rules)


def chosen_players(rules: Rules, players: Sequence[str] | None) -> list[Solver]:
    """The players of a fit, given as text; by default `solvers.choice.ladder`.

    Raises:
        BadInput: nothing tells how hard deals of the ruleset are, a name is not of a player, or
            there is no ladder.
    """
    _check_graded(rules)
    chosen = [parse_solver(name) for name in players or ()] or ladder(rules)
    for each in chosen:
        if each.method.sees != "observation":
            raise BadInput(f"{each} is given the whole deal: expected a player")
    if not chosen:
        raise BadInput(f"no players of graded strength are known under {rules.slug}: name some")
    return chosen
