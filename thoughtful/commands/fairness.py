"""`fairness`: test whether a Spider server deals honestly."""

from typing import TYPE_CHECKING, Annotated

import typer

from engine.errors import BadInput
from thoughtful.terminal import console, options
from thoughtful.terminal.examples import examples
from thoughtful.terminal.files import read_text

if TYPE_CHECKING:
    from catalogue.spider.assessment import FairnessReport, Share


@examples(
    "echo thoughtful-1:0-199 | thoughtful fairness -",
    "thoughtful fairness --hard 40/40 --reference 50/100",
)
def fairness(
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE", help="The starting hands that were dealt; - is standard input"
        ),
    ] = None,
    suits: Annotated[
        int,
        typer.Option(
            "--suits",
            metavar="1|2|4",
            parser=options.whole(1, 4),
            help="Number of suits that the server plays with",
        ),
    ] = 4,
    hard: Annotated[
        str | None,
        typer.Option(
            "--hard", metavar="K/N", help="K of N hands were never won in 50 tries of `look-ahead`"
        ),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option("--reference", metavar="K/N", help="The same counts for honest deals"),
    ] = None,
    every: Annotated[
        int | None,
        typer.Option(
            "--every",
            "--watch",
            metavar="K",
            parser=options.whole(1, 1_000_000),
            help="Print the e-value after every K games",
        ),
    ] = None,
    simulations: Annotated[
        int,
        typer.Option(
            "--simulations",
            metavar="B",
            parser=options.whole(199, 1_000_000),
            help="Number of honest servers to simulate",
        ),
    ] = 1999,
    random_seed: Annotated[
        int | None,
        typer.Option(
            "--random-seed",
            metavar="N",
            parser=options.whole(0, 2**31 - 1),
            help="Random seed of the simulation, by default derived from the hands; never choose "
            "it by its result",
        ),
    ] = None,
    json: options.AsJson = False,
) -> None:
    """Test whether a Spider server deals honestly, given the starting hands that it dealt.

    A line of FILE is the ten face-up cards of a game in the order of the columns (JC TD
    9D ...), the name of a deal (thoughtful-1:42), or a Spider deal as JSON. A CSV file has
    named columns: hand, or 1 to 10; won; tries and wins of `look-ahead`.

    Each question gets a p-value, corrected for multiple testing, which is valid only if the
    number of games was fixed beforehand. The e-value may be watched as games are added.
    """
    from catalogue.spider.assessment import examine
    from catalogue.spider.hands import ServerHands, read_hands

    if file is None and hard is None:
        raise BadInput("fairness needs a FILE of the hands that were dealt, or --hard K/N")
    if reference is not None and hard is None and file is None:
        raise BadInput("--reference needs --hard")
    given = ServerHands(suits, None)
    if file is not None:
        text = read_text(file)
        try:
            given = read_hands(text, suits)
        except BadInput as error:
            place = "standard input" if file == "-" else file
            raise BadInput(f"{place}: {error}") from None
    counted = None if hard is None else parse_share(hard, "--hard")
    if counted is not None and given.hard is not None:
        raise BadInput(f"{file} already has tries: leave --hard out")
    honest = None if reference is None else parse_share(reference, "--reference")
    tried = counted or given.hard
    if honest is not None and tried is None:
        raise BadInput("--reference needs --hard, or a table with tries and wins")
    report = examine(
        given.cards,
        suits,
        won=given.won,
        hard=tried,
        reference=honest,
        simulations=simulations,
        random_seed=random_seed,
    )
    if json:
        console.emit(_plain(report, every))
    else:
        _print(report, every)


def parse_share(text: str, option: str) -> "Share":
    """Parse counts such as ``21/40``.

    Raises:
        BadInput: the text is malformed, or K is not in 0..N.
    """
    from catalogue.spider.assessment import Share

    above, slash, below = text.strip().partition("/")
    if slash and all(
        part.isascii() and part.isdigit() and len(part) <= 9 for part in (above, below)
    ):
        return Share(int(above), int(below))
    raise BadInput(f"{option} is {text!r}, expected K/N such as 21/40")


def _plain(report: "FairnessReport", every: int | None) -> dict[str, object]:
    from catalogue.spider.watch import THRESHOLD
    from catalogue.spider.words import conclusions, limits

    def counts(share: "Share | None") -> dict[str, int] | None:
        return None if share is None else {"count": share.count, "total": share.total}

    return {
        "suits": report.suits,
        "games": report.games,
        "guaranteed_turnovers": report.counts,
        "questions": report.questions,
        "simulations": report.simulations,
        "random_seed": report.random_seed,
        "e_value": report.e_value,
        "e_values": report.parts,
        "highest_e_value": report.highest,
        "threshold": THRESHOLD,
        "caught_at": report.caught_at,
        "grown": None
        if every is None
        else [{"games": n, "e_value": e, "highest": top} for n, e, top in report.grown(every)],
        "power": report.power,
        "games_needed": report.enough,
        "won": counts(report.won),
        "hard": counts(report.hard),
        "reference": counts(report.reference),
        "conclusions": conclusions(report),
        "limits": limits(report),
    }


def _print(report: "FairnessReport", every: int | None) -> None:
    from catalogue.spider.words import conclusions, found_and_honest, limits, number

    if report.games:
        games = "1 game" if report.games == 1 else f"{report.games:,} games"
        print(f"{games} of {report.suits}-suit Spider")
    if report.questions:
        console.show_table(
            ("question", "found", "honest", "p-value", "corrected", ""),
            (
                (
                    question.words,
                    *found_and_honest(question),
                    number(question.p_value),
                    number(question.adjusted),
                    "significant" if question.odd else "",
                )
                for question in report.questions
            ),
            numbers=("found", "honest", "p-value", "corrected"),
        )
    if every is not None and report.games:
        console.show_table(
            ("games", "e-value", "highest so far"),
            ((f"{n:,}", number(e), number(top)) for n, e, top in report.grown(every)),
            numbers=("games", "e-value", "highest so far"),
        )
    for heading, said in (
        ("Conclusions", conclusions(report)),
        ("Limits", limits(report)),
    ):
        print(heading)
        for sentence in said:
            print(f"- {sentence}")
        print()
