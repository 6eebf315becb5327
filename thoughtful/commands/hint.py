"""`hint`: what to play next, when all cards are known and when some are not."""

import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from engine.text.numbers import per_cent, significant
from thoughtful.terminal import completing, console, given, options
from thoughtful.terminal.examples import examples

if TYPE_CHECKING:
    from catalogue.asking import Answer, Question
    from catalogue.chances import PlayChance
    from engine.game import Move, Position, Rules
    from engine.intake import ReadEntry
    from solvers.advice import Advice

# Seconds if none are given: a search needs few, games many.
_SECONDS_OF_SEARCH = 2.0
_SECONDS_OF_GAMES = 10.0

# Of a position, and of a move by the position after it.
_VERDICTS = {
    "winnable": ("can be won", "keeps the win"),
    "undecided": ("not decided", "not decided"),
    "unwinnable": ("cannot be won any more", "loses"),
}


@examples(
    "thoughtful hint thoughtful-1:42",
    "thoughtful hint thoughtful-1:42 --moves '51 T T T T W1' --json",
    "thoughtful hint thoughtful-1:42 --hidden --samples 20 --seconds 5",
    "thoughtful replay thoughtful-1:42 --moves 51 --json | thoughtful hint -",
)
def hint(
    position: Annotated[
        str | None,
        typer.Argument(
            metavar="POSITION",
            autocompletion=completing.deals,
            help="A position or deal: dealer:seed, the text of a position, what `thoughtful replay "
            "--json` prints, any other format, or a file of one; ?? for cards not known",
        ),
    ] = None,
    rules: options.Rules = DEFAULT_RULESET,
    file: Annotated[
        str | None,
        typer.Option(
            "--file", metavar="FILE", help="A file with the position; - is standard input"
        ),
    ] = None,
    moves: Annotated[
        str | None,
        typer.Option("--moves", "-m", metavar="MOVES", help="Moves made from there: 'T W3 26'"),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            metavar="S",
            parser=options.number,
            help="Time by the clock: 2 with all cards known, else 10",
        ),
    ] = None,
    samples: Annotated[
        int,
        typer.Option(
            "--samples",
            metavar="N",
            parser=options.whole(0, 10**6),
            help="Number of random deals of the unknown cards (maximum); 0 for the advice alone",
        ),
    ] = 1000,
    player: Annotated[
        str | None,
        typer.Option(
            "--player",
            "-p",
            metavar="PLAYER",
            autocompletion=completing.players,
            help="With unknown cards, the player that plays on (default: the best of the "
            "ruleset's quick players)",
        ),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            metavar="N",
            parser=options.whole(0, 2**31 - 1),
            help="Seed of all random numbers",
        ),
    ] = 0,
    hidden: Annotated[
        bool,
        typer.Option("--hidden", help="Hide the face-down cards, as from a person"),
    ] = False,
    form: given.From = None,
    notation: given.Notation = None,
    json: options.AsJson = False,
    database: options.Database = None,
) -> None:
    """Show which moves keep the win or, with unknown cards, the chance of each move.

    With all cards known, a complete search decides the position after each legal move: a move
    keeps the win or loses it, which is a proof, or is not decided in the time given. The best
    come first. What the catalogue knows of the deal is used, if there is one.

    With ?? for unknown cards, or with --hidden, the unknown cards are dealt at random many times,
    all arrangements being equally likely, and a player that sees no face-down card plays on from
    there, in independent games. The chance of a move is its share of wins, with an interval of 95 %
    that holds whenever the games are stopped. It is the chance of that player, who need not play as
    you would, and who sees the unknown cards of the stock from the start, as redeals would show
    them. Before the games a player advises, which takes some hundredths of a second; its choice
    comes first unless games show another play to be better.
    """
    from engine.games import game_of
    from engine.notations import check_notation
    from engine.rulesets import parse_ruleset

    ruleset = parse_ruleset(rules)
    if (position is None) == (file is None):
        raise BadInput("hint needs either a position or deal, such as thoughtful-1:42, or --file")
    if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
        raise BadInput(f"--seconds {significant(seconds)}: expected a number above 0")
    if notation is not None:
        check_notation(notation, game_of(ruleset))
    name, entry = given.seen_of(position, file, ruleset, form)
    if entry.observation is None and not hidden:
        if player is not None:
            raise BadInput("--player needs cards that are not known: give --hidden, or ??")
        found = _answer(_question(entry, moves, seconds), database)
        _show_answer(name, found, notation, json)
        return
    observation = entry.observation
    if observation is None:
        observation = _question(entry, moves, seconds).position.observation()
    elif moves is not None:
        raise BadInput("--moves needs all cards known: a card that turns up would not be")
    if notation is not None:
        raise BadInput("--notation needs all cards known")
    games = _Games(samples, _SECONDS_OF_GAMES if seconds is None else seconds, seed, player)
    _show_chances(name, observation, entry.rules, games, json)


def _question(entry: "ReadEntry", moves: str | None, seconds: float | None) -> "Question":
    """The question about the moves of a position of which all cards are known."""
    from catalogue.asking import Question
    from engine.notations import read_moves
    from solvers.deciding import Budget

    line = () if moves is None else read_moves(moves, entry.position)
    budget = Budget(1000 * (seconds or _SECONDS_OF_SEARCH))
    return Question.of(entry, line, "moves").within(budget)


def _answer(question: "Question", database: str | None) -> "Answer":
    """The answer, from the catalogue if the deal is known and there is one."""
    from catalogue.asking import answer
    from catalogue.store import open_catalogue

    with ExitStack() as stack:
        catalogue = None
        if question.deal is not None:
            try:
                catalogue = stack.enter_context(open_catalogue(database))
            except BadInput:
                # A catalogue that was named must be there; the usual one need not.
                if database is not None:
                    raise
        return answer(question, lambda: catalogue)


def _show_answer(name: str | int, found: "Answer", notation: str | None, json: bool) -> None:
    from engine.notations import OWN, write_moves
    from engine.replay import positions
    from solvers.choice import decider
    from solvers.registry import who_plays

    def write(start: "Position", moves: "Sequence[Move]") -> list[str]:
        played = zip(moves, positions(start, moves), strict=False)
        return [write_moves([move], at, notation or OWN) for move, at in played]

    data, rules = found.as_data(write), found.question.rules
    if json:
        console.emit({"id": name, **data})
        return
    print(f"{found.question.position}\n")
    if data["won"]:
        print(f"{name} under {rules}: won already")
        return
    verdict, _ = _VERDICTS[found.verdict]
    if found.ending is not None:
        if found.verdict != "undecided":
            verdict += "; not all moves are decided"
        more = "" if found.limit is None else " (more with --seconds)"
        verdict += f": {found.reason}{more}"
    if decider(rules) is None:
        verdict += f"; who plays it: {', '.join(who_plays(rules))}; see also --hidden"
    print(f"{name} under {rules}: {verdict}")
    if not found.moves:
        print("No move is legal.")
        return
    rows = [
        [
            shown["move"],
            str(each.move.kind.value),
            _VERDICTS[each.verdict][1],
            "" if each.length is None else f"won in {each.length} moves",
        ]
        for shown, each in zip(data["moves"], found.moves, strict=True)
        if each.same_as is None
    ]
    console.show_table(["move", "kind", "", "shortest win found"], rows)
    if data["safe"]:
        between = " " if notation is None else ", "
        print(f"Safe, in this order: {between.join(data['safe'])}")


@dataclass(frozen=True, slots=True)
class _Games:
    """The games that are played with unknown cards; see the options of the command."""

    samples: int
    seconds: float
    seed: int
    player: str | None


def _show_chances(
    name: str | int, observation: Mapping[str, Any], rules: "Rules", games: _Games, json: bool
) -> None:
    from catalogue.chances import LEVEL, advice_on, chances, chosen_player
    from engine.games import game_of
    from solvers.choice import Ability, capable

    game = game_of(rules)
    player = chosen_player(rules, games.player)
    if game.fill_in is None or game.write_seen is None:
        raise BadInput(f"positions of {game.name} with unknown cards cannot be read")
    if player is None:
        raise BadInput(
            f"no player that sees only the open cards plays on from positions under {rules}: "
            f"expected {_with_players(rules) or 'another game'}, or all cards"
        )
    advice = advice_on(observation, rules)
    if games.samples:
        player.prepare(rules)
    with console.progress("playing", games.samples) as advance:
        plays = chances(
            observation,
            rules,
            player,
            samples=games.samples,
            seconds=games.seconds,
            seed=games.seed,
            advice=advice,
            on_sample=lambda done: advance(done, ""),
        )
    adviser = str(capable(rules, Ability.ADVISE))
    if json:
        console.emit(
            {
                "id": name,
                "rules": rules.slug,
                "player": str(player),
                "seed": games.seed,
                "level": LEVEL,
                "advice": _advice_as_data(advice[0], adviser) if advice else None,
                "moves": [_chance_as_data(each) for each in plays],
            }
        )
        return
    print(game.write_seen(observation))
    what = f"the chance of each play (intervals of {LEVEL:.0%})" if games.samples else "the plays"
    print(f"{name} under {rules}: {what}")
    if advice:
        print(_advice_in_words(advice[0], adviser))
    if games.samples:
        print(f"played on by {player}")
    if not plays:
        print("No move is legal.")
        return
    counts = any(each.chance is not None for each in advice)
    rows = [
        [
            " ".join(map(str, play.moves)),
            *([_advised(play.advice)] if counts else []),
            *(_played(play) if games.samples else []),
        ]
        for play in plays
    ]
    columns = ["moves", *(["advice"] if counts else [])]
    columns += ["chance", "interval", "won"] if games.samples else []
    console.show_table(columns, rows, numbers=["advice", "chance", "won"])


def _advised(advice: "Advice | None") -> str:
    """The chance that the player that advises gives to a play."""
    return "" if advice is None or advice.chance is None else f"{per_cent(advice.chance, 1)}%"


def _played(play: "PlayChance") -> list[str]:
    """How often a play won its games: the share, its interval and the numbers."""
    return [
        f"{per_cent(play.chance or 0, 1)}%",
        f"{per_cent(play.interval.low, 1)}% to {per_cent(play.interval.high, 1)}%",
        f"{play.wins:,} of {play.games:,}",
    ]


def _advice_in_words(choice: "Advice", adviser: str) -> str:
    """The choice of the player that advises, with how often it wins by it."""
    words = f"advice: {' '.join(map(str, choice.moves))}, by {adviser}"
    if choice.chance is None:
        return words
    if choice.certain:
        return f"{words}: {'certain to win' if choice.wins else 'it cannot win'}"
    return f"{words}, which wins about {per_cent(choice.chance, 0)}% of its games with it"


def _advice_as_data(choice: "Advice", adviser: str) -> dict[str, Any]:
    return {
        "player": adviser,
        "move": str(choice.moves[0]),
        "play": [str(move) for move in choice.moves],
        "chance": choice.chance,
        "error": choice.error,
        "certain": choice.certain,
    }


def _chance_as_data(play: "PlayChance") -> dict[str, Any]:
    return {
        "move": str(play.moves[0]),
        "play": [str(move) for move in play.moves],
        "chance": play.chance,
        "interval": console.both_ends(play.interval),
        "wins": play.wins,
        "games": play.games,
    }


def _with_players(rules: "Rules") -> str:
    """The rulesets of the same game under which a player plays on; empty if there are none."""
    from engine.games import game_of
    from solvers.choice import quick_player

    presets = game_of(rules).rulesets.presets
    named = ", ".join(slug for slug in presets if quick_player(presets[slug]))
    return f"one such as {named}" if named else ""
