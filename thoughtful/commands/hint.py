"""`hint`: what to play next, when all cards are known and when some are not."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engine.errors import BadInput
from engine.games import DEFAULT_RULESET
from engine.text.numbers import per_cent, significant
from thoughtful.terminal import completing, console, given, options
from thoughtful.terminal.examples import examples

if TYPE_CHECKING:
    from catalogue.asking import Knowledge
    from engine.game import Move, Position, Rules
    from engine.intake import ReadEntry

# Seconds if none are given: a search needs few, games many.
_SECONDS_OF_SEARCH = 2.0
_SECONDS_OF_GAMES = 10.0

_SIGNS = {"winnable": "keeps the win", "undecided": "not decided", "unwinnable": "loses"}
_VERDICTS = {
    "winnable": "can be won",
    "undecided": "not decided",
    "unwinnable": "cannot be won any more",
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
            parser=options.whole(1, 10**6),
            help="Number of random deals of the unknown cards (maximum)",
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
    that holds whenever the games are stopped. It is the chance of that player,
    who need not play as you would, and who sees the unknown cards of the stock from the start, as
    redeals would show them.
    """
    from engine.games import game_of
    from engine.notations import check_notation, read_moves
    from engine.replay import replay
    from engine.rulesets import parse_ruleset

    ruleset = parse_ruleset(rules)
    if (position is None) == (file is None):
        raise BadInput("hint needs either a position or deal, such as thoughtful-1:42, or --file")
    if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
        raise BadInput(f"--seconds {significant(seconds)}: expected a number above 0")
    if notation is not None:
        check_notation(notation, game_of(ruleset))
    name, entry = given.seen_of(position, file, ruleset, form)
    ruleset = entry.rules
    if entry.observation is None:
        start = entry.position
        if moves is not None:
            start = replay(start, read_moves(moves, start, None))
        if not hidden:
            if player is not None:
                raise BadInput("--player needs cards that are not known: give --hidden, or ??")
            knowledge = _knowledge(entry, ruleset, database)
            _known(name, start, knowledge, seconds or _SECONDS_OF_SEARCH, notation, json)
            return
        observation: Mapping[str, Any] = start.observation()
    else:
        if moves is not None:
            raise BadInput("--moves needs all cards known: a card that turns up would not be")
        observation = entry.observation
    if notation is not None:
        raise BadInput("--notation needs all cards known")
    _unknown(name, observation, ruleset, seconds, samples, seed, player, json)


def _knowledge(entry: "ReadEntry", rules: "Rules", database: str | None) -> "Knowledge":
    """The catalogue's knowledge of the deal, if it is one and there is a catalogue."""
    from catalogue.asking import Knowledge, Origin, knowledge_of
    from catalogue.store import open_catalogue

    if entry.deal is None:
        return Knowledge(None, rules)
    named = entry.dealer is not None and entry.seed is not None
    origin = Origin(entry.deal, f"{entry.dealer}:{entry.seed}" if named else None)
    try:
        with open_catalogue(database) as catalogue:
            return knowledge_of(origin, rules, catalogue)
    except BadInput:
        # A catalogue that was named must be there; the usual one need not.
        if database is not None:
            raise
        return Knowledge(None, rules)


def _known(
    name: str | int,
    position: "Position",
    knowledge: "Knowledge",
    seconds: float,
    notation: str | None,
    json: bool,
) -> None:
    from catalogue.asking import analysis_as_data, marked_moves
    from engine.notations import write_moves
    from solvers.deciding import Budget, ending_words, limit_of
    from solvers.registry import decider, who_plays

    def text(move: "Move", at: "Position") -> str:
        return str(move) if notation is None else write_moves([move], at, notation)

    budget = Budget(1000 * seconds)
    found = marked_moves(position, budget, knowledge)
    who = decider(position.rules)
    reason = None
    if found.ending is not None:
        reason = ending_words(found.ending, budget, who, position.rules.slug)
    told = analysis_as_data(position, found, text)
    if json:
        solver = None if who is None else who.method.slug
        rules = position.rules.slug
        console.emit({"id": name, "rules": rules, **told, "solver": solver, "reason": reason})
        return
    print(f"{position}\n")
    if position.is_won:
        print(f"{name} under {position.rules}: won already")
        return
    verdict = _VERDICTS[found.verdict]
    if reason is not None:
        if found.verdict != "undecided":
            verdict += "; not all moves are decided"
        more = " (more with --seconds)" if limit_of(found.ending, budget) is not None else ""
        verdict += f": {reason}{more}"
    if who is None:
        verdict += f"; who plays it: {', '.join(who_plays(position.rules))}; see also --hidden"
    print(f"{name} under {position.rules}: {verdict}")
    if not found.moves:
        print("No move is legal.")
        return
    rows = [
        [
            text(each.move, position),
            _meaning(each.move),
            _SIGNS[each.verdict],
            "" if each.length is None else f"won in {each.length} moves",
        ]
        for each in found.moves
    ]
    console.show_table(["move", "kind", "", "shortest win found"], rows)
    if told["safe"]:
        between = " " if notation is None else ", "
        print(f"Safe, in this order: {between.join(told['safe'])}")


def _unknown(
    name: str | int,
    observation: Mapping[str, Any],
    rules: "Rules",
    seconds: float | None,
    samples: int,
    seed: int,
    named: str | None,
    json: bool,
) -> None:
    from catalogue.chances import LEVEL, advice_on, chances
    from engine.games import game_of
    from solvers.registry import Ability, capable, ladder, parse_solver

    thinker = capable(rules, Ability.ADVISE)
    strengths = ladder(rules)
    if named is not None:
        player = parse_solver(named)
        player.check_plays(rules)
        if player.method.sees != "observation":
            raise BadInput(f"{player} sees face-down cards: expected a player")
    elif strengths:
        player = strengths[-1]
    elif thinker is not None:
        player = thinker
    else:
        raise BadInput(
            f"no player that sees only the open cards plays on from positions under {rules}: "
            f"expected {_with_players(rules) or 'another game'}, or all cards"
        )
    game = game_of(rules)
    if game.fill_in is None or game.write_seen is None:
        raise BadInput(f"positions of {game.name} with unknown cards cannot be read")
    # Without players of graded strength, none is quick enough for many games.
    if named is None and not strengths:
        _advised(name, observation, rules, player, json)
        return
    advice = advice_on(observation, rules)
    player.prepare(rules)
    with console.progress("playing", samples) as advance:
        plays = chances(
            observation,
            rules,
            player,
            samples=samples,
            seconds=_SECONDS_OF_GAMES if seconds is None else seconds,
            seed=seed,
            advice=advice,
            on_sample=lambda done: advance(done, ""),
        )
    if json:
        console.emit(
            {
                "id": name,
                "rules": rules.slug,
                "player": str(player),
                "seed": seed,
                "level": LEVEL,
                "moves": [
                    {
                        "move": str(play.moves[0]),
                        "play": [str(move) for move in play.moves],
                        "chance": play.chance,
                        "interval": console.both_ends(play.interval),
                        "wins": play.wins,
                        "games": play.games,
                    }
                    for play in plays
                ],
            }
        )
        return
    print(game.write_seen(observation))
    print(f"{name} under {rules}: the chance of each play (intervals of {LEVEL:.0%})")
    print(f"played on by {player}")
    if not plays:
        print("No move is legal.")
        return
    rows = [
        [
            " ".join(map(str, play.moves)),
            f"{per_cent(play.chance or 0, 1)}%",
            f"{per_cent(play.interval.low, 1)}% to {per_cent(play.interval.high, 1)}%",
            f"{play.wins:,} of {play.games:,}",
        ]
        for play in plays
    ]
    console.show_table(["moves", "chance", "interval", "won"], rows, numbers=["chance", "won"])


def _advised(
    name: str | int, observation: Mapping[str, Any], rules: "Rules", player: Any, json: bool
) -> None:
    """The choice of a player that counts no wins and cannot play on from a position."""
    from engine.games import game_of

    plays = player.advise(observation, rules)
    moves = [str(move) for move in plays[0].moves] if plays else []
    if json:
        console.emit(
            {
                "id": name,
                "rules": rules.slug,
                "player": str(player),
                "moves": [{"move": moves[0], "play": moves, "chance": None}] if moves else [],
            }
        )
        return
    write_seen = game_of(rules).write_seen
    assert write_seen is not None
    print(write_seen(observation))
    print(f"{name} under {rules}: {player.method.slug} counts no wins; it would play")
    print(f"  {' '.join(moves) or 'nothing: it has no move'}")


def _meaning(move: "Move") -> str:
    return str(move.kind.value)


def _with_players(rules: "Rules") -> str:
    """The rulesets of the same game under which a player advises; empty if there are none."""
    from engine.games import game_of
    from solvers.registry import Ability, capable, methods_of

    able = [method.rulesets for method in methods_of(rules.game) if method.advise is not None]
    presets = game_of(rules).rulesets.presets
    named = ", ".join(slug for slug in presets if capable(presets[slug], Ability.ADVISE))
    return f"{able[0]}, such as {named}" if named else ""
