"""What a report on a server means, and what it does not, in plain sentences."""

from catalogue.fairness.assessment import ALPHA, FEWEST, TRIES, FairnessReport, Question, Share
from catalogue.fairness.turnover_chances import guaranteed_chances
from catalogue.fairness.watch import THRESHOLD, kind_from

_KIND = kind_from(guaranteed_chances())
# A server that redeals kind hands: the yardstick for "too few games".
_CHEAT = (
    f"a server that secretly deals every second hand of {_KIND} or more guaranteed turnovers anew"
)

_PARTS = {
    "guaranteed": "guaranteed turnovers",
    "suited": "suited turnovers",
    "outcomes": "how hands differ after wins and after losses",
}


def conclusions(report: FairnessReport) -> list[str]:
    """What can be said of the server."""
    said = []
    if report.games and report.games < FEWEST:
        said.append(
            f"Too few games: {_games(report.games)} can show nothing, so nothing was tested. Give "
            f"at least {FEWEST}; about {report.enough} are needed to notice {_CHEAT} in nine of "
            "ten cases."
        )
    elif report.power is not None and report.power < 0.5:
        said.append(
            f"Few games: with {report.games}, {_CHEAT} would be noticed in "
            f"{_percent(report.power)} of cases only. About {report.enough} are needed for nine "
            "of ten."
        )
    if report.questions:
        said += _of_questions(report)
    if report.games:
        said.append(_of_evidence(report))
    if report.power is not None and report.power >= 0.5 and not report.odd:
        said.append(
            f"What that is worth: in {report.games:,} games {_CHEAT} would have been noticed in "
            f"{_percent(report.power)} of cases."
        )
    if report.won is not None:
        said.append(
            f"You won {report.won} games ({_share(report.won)}). How many says nothing of the "
            "server: nobody knows what share you would win of honest deals. Whether hands turn "
            "kinder or unkinder after a win is part of the e-value."
        )
    return said


def _of_questions(report: FairnessReport) -> list[str]:
    asked = len(report.questions)
    if not report.odd:
        least = min(report.questions, key=lambda question: question.p_value)
        few = "The one question asked finds" if asked == 1 else f"None of {asked} questions finds"
        return [
            f"{few} anything that an honest shuffle would not give. The smallest p-value is "
            f"{number(least.p_value)}, {number(least.adjusted)} after the correction for asking "
            f"{'one' if asked == 1 else 'several'}."
        ]
    among = "at this question" if asked == 1 else f"at any of the {asked} questions"
    return [
        f"Not what an honest shuffle gives: {_found(question, report)} An honest server shows "
        f"something as odd {among} with a chance of at most {number(question.adjusted)}."
        for question in report.odd
    ]


def _found(question: Question, report: FairnessReport) -> str:
    match question.slug:
        case "guaranteed" | "suited":
            return (
                f"{question.side} {question.slug} turnovers, {question.found:.3f} a game instead "
                f"of {question.honest:.3f}: hands are "
                f"{'unkinder' if question.side == 'fewer' else 'kinder'} than they should be."
            )
        case "distribution":
            return "some numbers of guaranteed turnovers are too frequent and others too rare."
        case "places":
            return "some cards lie on some columns too often and on others too seldom."
        case "repeats":
            return (
                f"{question.found:.0f} of {report.games:,} hands had been dealt before, card by "
                "card. A line given twice by mistake looks just like it."
            )
        case _:
            assert report.hard is not None
            assert report.reference is not None
            return (
                f"the look-ahead never wins {report.hard} hands ({_share(report.hard)}) in {TRIES} "
                f"tries, {question.side} than {report.reference} of honest deals "
                f"({_share(report.reference)})."
            )


def _of_evidence(report: FairnessReport) -> str:
    e = f"The e-value is {number(report.e_value)}, its highest so far {number(report.highest)}"
    if report.caught_at is not None:
        return (
            f"{e}. It first reached {THRESHOLD} after game {report.caught_at:,}. However long one "
            f"watches, at most one honest server in {THRESHOLD} ever gets there. Most of it comes "
            f"from {_PARTS[max(report.parts, key=lambda name: report.parts[name])]}."
        )
    return (
        f"{e}, below {THRESHOLD}. You may go on and look after every game: at most one honest "
        f"server in {THRESHOLD} ever reaches {THRESHOLD}."
    )


def limits(report: FairnessReport) -> list[str]:
    """What cannot be concluded."""
    said = [
        "A p-value is not the chance that the server is fair. It says how often an honest shuffle "
        "looks at least as odd.",
        "Finding nothing does not prove fairness: a small or another kind of bias may be there.",
        "p-values hold for a number of games that was fixed beforehand. Whoever stops when the "
        "figures look bad, or leaves games out, makes honest servers look unfair. Stopping does "
        "not harm the e-value; leaving games out does.",
        f"The questions and the e-value are two tests at {ALPHA:.0%} each: decide beforehand which "
        "one you go by.".replace("%", " %"),
    ]
    if report.games:
        said.append(
            "Only the ten cards that lie face up at the start are seen. A server could deal them "
            "honestly and stack the others; "
            + (
                "of that only the hands that are never won speak."
                if report.hard is not None
                else "only outcomes of tries speak of that, and none were given."
            )
        )
    if report.won is not None:
        said.append(
            "Outcomes change the e-value, so whether to tell them is to be decided beforehand, "
            "too; and each is to be noted before the next hand is seen."
        )
    if report.games and report.suits == 1:
        said.append(
            "With one suit, suited turnovers are the guaranteed ones and suits say nothing: these "
            "questions are left out."
        )
    if report.hard is not None:
        said.append(
            "Hands that are never won say something only if they were not picked for being hard, "
            "and if the reference was measured with the same look-ahead and as many tries."
        )
    return said


def number(value: float) -> str:
    """A p-value or an e-value with the digits that matter."""
    if value >= 1e6 or (0 < value < 1e-4):
        mantissa, _, exponent = f"{value:.1e}".partition("e")
        return f"{mantissa}·10^{int(exponent)}"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def found_and_honest(question: Question) -> tuple[str, str]:
    """What was found and what an honest shuffle gives, as they read in a table."""
    match question.slug:
        case "guaranteed" | "suited":
            return f"{question.found:.3f}", f"{question.honest:.3f}"
        case "hard":
            return _percent(question.found), _percent(question.honest)
        case "repeats":
            return f"{question.found:.0f}", number(question.honest) if question.honest else "0"
        case _:
            return f"{question.found:.1f}", f"{question.honest:.0f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _share(share: Share) -> str:
    interval = share.interval()
    return f"{_percent(share.value)}, 95 %: {100 * interval.low:.1f} to {100 * interval.high:.1f}"


def _games(games: int) -> str:
    return "1 game" if games == 1 else f"{games:,} games"
