"""`regret`: the moves with which a player lost winnable games."""

from typing import TYPE_CHECKING, Annotated

import typer

from engine.games import DEFAULT_RULESET
from engine.text.numbers import per_cent
from thoughtful.terminal import completing, console, options
from thoughtful.terminal.examples import examples
from thoughtful.terminal.jobs import run_to_end

if TYPE_CHECKING:
    from catalogue.regret.reading import Regrets


@examples(
    "thoughtful regret thoughtful-1:0-199 --player greedy",
    "thoughtful regret thoughtful-1:0-99 -r klondike-draw1 -p random -w 2 --json",
)
def regret(
    sample: Annotated[
        str,
        typer.Argument(
            metavar="SAMPLE", autocompletion=completing.deals, help="The deals: dealer:first-last"
        ),
    ],
    rules: options.Rules = DEFAULT_RULESET,
    player: Annotated[
        str | None,
        typer.Option(
            "--player",
            "-p",
            metavar="PLAYER",
            autocompletion=completing.players,
            help="The player; by default the game's simplest",
        ),
    ] = None,
    workers: options.Workers = None,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Find the moves with which a player lost winnable games.

    A first job has the player and an exact solver play the sample. A second one replays each
    game that was lost on a winnable deal and finds the first move after which no win was
    possible. The results are stored in the catalogue and shown in the replay of each deal. An
    interrupted command resumes when it is run again.
    """
    from catalogue import store
    from catalogue.regret import reading
    from catalogue.regret.games import games_of
    from catalogue.regret.task import submit
    from engine.dealing.dealers import parse_sample

    games = games_of(rules, parse_sample(sample), player)
    store.init(database)
    with store.open_catalogue(database) as catalogue:
        while True:
            run_to_end(catalogue, submit(catalogue, games), workers)
            found = reading.read(catalogue, games)
            # Another runner may have solved further deals in the meantime.
            if not found.left:
                break
    if json:
        console.emit(_plain(found))
    else:
        _print(found)


def _print(found: "Regrets") -> None:
    from engine.games import game_of
    from solvers.regret import RegretKind

    print(f"{found.games}\n")
    words = game_of(found.games.rules).load_actions().words
    lost, winnable, kinds = found.lost, found.winnable, found.kinds
    all_games, all_lost, all_winnable = "games played", "games lost", "winnable games lost"
    rows = [
        ("games", found.attempted, None, ""),
        ("lost", lost, found.attempted, all_games),
        ("lost on a deal that is winnable", winnable, lost, all_lost),
        ("lost on a deal that is unwinnable", found.unwinnable, lost, all_lost),
        ("lost on a deal that is unresolved", found.unresolved, lost, all_lost),
        ("winnable, lost by one move", kinds[RegretKind.MOVE], winnable, all_winnable),
        (
            "winnable, stopped although it could still win",
            kinds[RegretKind.STOPPED],
            winnable,
            all_winnable,
        ),
        (
            "winnable, losing move not decided",
            winnable - kinds[RegretKind.MOVE] - kinds[RegretKind.STOPPED],
            winnable,
            all_winnable,
        ),
    ]
    console.print_markdown(
        ("result", "games", "percent", "relative to"),
        [(what, f"{n:,}", _percent(n, of), "" if not of else name) for what, n, of, name in rows],
        numbers=(1, 2),
    )
    span = found.winnable_interval
    if span is not None:
        print(
            f"\nOf the {lost:,} games lost, {_percent(winnable, lost)} % could be won (99 %: "
            f"{per_cent(span.low, 1)} to {per_cent(span.high, 1)})."
        )
    if found.stages:
        _print_stages(found)
    if found.shares is None:
        return
    low, middle, high = (per_cent(share, 0) for share in found.shares)
    by_move = kinds[RegretKind.MOVE]
    print(
        f"\nMedian position of the losing move in the {by_move:,} games lost by one move: "
        f"{middle} % of the game (quartiles {low} and {high} %). "
        "Kinds of losing moves:\n"
    )
    console.print_markdown(
        ("move", "games", "percent"),
        [
            (words[action], f"{n:,}", _percent(n, by_move))
            for action, n in found.actions.most_common()
        ],
        numbers=(1, 2),
    )


def _print_stages(found: "Regrets") -> None:
    from engine.games import game_of

    actions = game_of(found.games.rules).load_actions()
    assert actions.stage is not None
    print(
        "\nLost games on winnable deals, whether they could still be won (no win found is no proof "
        "that there is none):\n"
    )
    rows = []
    for number, each in enumerate(found.stages, start=1):
        span = each.winnable_interval
        rows.append(
            (
                f"{actions.words[actions.stage]}, {number}",
                f"{each.games:,}",
                f"{_percent(each.winnable, each.games)} (99 %: {per_cent(span.low, 1)} to "
                f"{per_cent(span.high, 1)})",
                f"{each.lost:,}",
                f"{each.games - each.winnable - each.lost:,}",
            )
        )
    console.print_markdown(
        ("after", "games", "still winnable, percent", "proved lost", "no win found"),
        rows,
        numbers=(1, 2, 3, 4),
    )


def _percent(count: int, of: int | None) -> str:
    return per_cent(count / of, 1) if of else ""


def _plain(found: "Regrets") -> dict[str, object]:
    """The summary as plain data; shares run from 0 to 1."""
    from catalogue.regret.reading import LEVEL
    from engine.games import game_of
    from solvers.regret import RegretKind

    words = game_of(found.games.rules).load_actions().words

    return {
        "player": str(found.games.player),
        "version": found.games.player.method.version,
        "ruleset": found.games.rules.slug,
        "sample": str(found.games.sample),
        "games": found.attempted,
        "lost": found.lost,
        "lost_winnable": found.winnable,
        "lost_unwinnable": found.unwinnable,
        "lost_unresolved": found.unresolved,
        "level": LEVEL,
        "winnable_interval": console.both_ends(found.winnable_interval),
        "regrets": {kind.value: found.kinds[kind] for kind in RegretKind},
        "left": found.left,
        "losing_moves": {action: found.actions[action] for action in words},
        "stages": [
            {
                "games": each.games,
                "winnable": each.winnable,
                "winnable_interval": console.both_ends(each.winnable_interval),
                "lost": each.lost,
            }
            for each in found.stages
        ],
        "share_of_game": None
        if found.shares is None
        else dict(zip(("lower_quartile", "median", "upper_quartile"), found.shares, strict=True)),
    }
