"""Conclusions from a report on a server, and their limits, in plain sentences."""

from catalogue.spider.assessment import ALPHA, FEWEST, TRIES, FairnessReport, FairnessTest, Share
from catalogue.spider.turnover_chances import guaranteed_chances
from catalogue.spider.watch import THRESHOLD, kind_from
from engine.text.numbers import per_cent, probability

_KIND = kind_from(guaranteed_chances())
# The alternative for which the power of the tests is stated.
_CHEAT = f"a server that secretly redeals every second hand of {_KIND} or more guaranteed turnovers"

_PARTS = {
    "guaranteed": "guaranteed turnovers",
    "suited": "suited turnovers",
    "outcomes": "the difference between hands after wins and after losses",
}


def conclusions(report: FairnessReport) -> list[str]:
    """The conclusions about the server."""
    said = []
    if report.games and report.games < FEWEST:
        said.append(
            f"Too few games: {_games(report.games)} cannot show anything, so nothing was tested. "
            f"Give at least {FEWEST}; about {report.enough} are needed to detect {_CHEAT} in nine "
            "of ten cases."
        )
    elif report.power is not None and report.power < 0.5:
        said.append(
            f"Few games: with {report.games}, {_CHEAT} would be detected in only "
            f"{_percent(report.power)} of cases. About {report.enough} are needed for nine of ten."
        )
    if report.questions:
        said += _of_questions(report)
    if report.games:
        said.append(_of_evidence(report))
    if report.power is not None and report.power >= 0.5 and not report.odd:
        said.append(
            f"Power of the tests: in {report.games:,} games {_CHEAT} would have been detected in "
            f"{_percent(report.power)} of cases."
        )
    if report.won is not None:
        said.append(
            f"You won {report.won} games ({_share(report.won)}). The number alone says nothing "
            "about the server, since the share of honest deals that you would win is unknown. "
            "Whether hands become kinder or unkinder after a win is part of the e-value."
        )
    return said


def _of_questions(report: FairnessReport) -> list[str]:
    asked = len(report.questions)
    if not report.odd:
        least = min(report.questions, key=lambda question: question.p_value)
        few = (
            "The one question asked finds no"
            if asked == 1
            else f"None of {asked} questions finds a"
        )
        return [
            f"{few} significant difference from an honest shuffle. The smallest p-value is "
            f"{number(least.p_value)}, or {number(least.adjusted)} after the correction for "
            f"{_questions(asked)}."
        ]
    among = "for this question" if asked == 1 else f"for any of the {asked} questions"
    return [
        f"Inconsistent with an honest shuffle: {_found(question, report)} For an honest server, "
        f"the probability of a p-value as small {among} is at most {number(question.adjusted)}."
        for question in report.odd
    ]


def _found(question: FairnessTest, report: FairnessReport) -> str:
    match question.slug:
        case "guaranteed" | "suited":
            return (
                f"{question.side} {question.slug} turnovers, {question.found:.3f} per game instead "
                f"of {question.honest:.3f}: hands are "
                f"{'unkinder' if question.side == 'fewer' else 'kinder'} than they should be."
            )
        case "distribution":
            return "some numbers of guaranteed turnovers are too frequent and others too rare."
        case "places":
            return "some cards lie on some columns too often and on others too rarely."
        case "repeats":
            return (
                f"{question.found:.0f} of {report.games:,} hands had been dealt before, card by "
                "card. A line entered twice by mistake looks the same."
            )
        case _:
            assert report.hard is not None
            assert report.reference is not None
            return (
                f"look-ahead never wins {report.hard} hands ({_share(report.hard)}) in {TRIES} "
                f"tries, {question.side} than {report.reference} for honest deals "
                f"({_share(report.reference)})."
            )


def _of_evidence(report: FairnessReport) -> str:
    e = f"The e-value is {number(report.e_value)}, its highest so far {number(report.highest)}"
    if report.caught_at is not None:
        return (
            f"{e}. It first reached {THRESHOLD} after game {report.caught_at:,}. However long it "
            f"is watched, at most one honest server in {THRESHOLD} ever reaches {THRESHOLD}. The "
            "largest part comes from "
            f"{_PARTS[max(report.parts, key=lambda name: report.parts[name])]}."
        )
    return (
        f"{e}, below {THRESHOLD}. You may add games and look after each: at most one honest server "
        f"in {THRESHOLD} ever reaches {THRESHOLD}."
    )


def limits(report: FairnessReport) -> list[str]:
    """The limits of the conclusions."""
    said = [
        "A p-value is not the probability that the server is fair. It is the probability that an "
        "honest shuffle gives a result at least as extreme.",
        "The absence of a significant result does not prove fairness: there may be a small bias, "
        "or one of another kind.",
        "p-values are valid only for a number of games fixed beforehand. Stopping when the "
        "figures look bad, or leaving games out, makes honest servers look unfair. The e-value "
        "remains valid whenever you stop, but not if games are left out.",
        f"The questions and the e-value are two tests at {ALPHA:.0%} each: decide beforehand which "
        "one to rely on.".replace("%", " %"),
    ]
    if report.games:
        said.append(
            "Only the ten cards that are face up at the start are examined. A server could deal "
            "them honestly and stack the others; "
            + (
                "only the share of hands that are never won could show that."
                if report.hard is not None
                else "only the results of tries could show that, and none were given."
            )
        )
    if report.won is not None:
        said.append(
            "Results of games affect the e-value, so decide beforehand whether to give them, too; "
            "and record each result before you see the next hand."
        )
    if report.games and report.suits == 1:
        said.append(
            "With one suit, suited turnovers equal the guaranteed ones and suits carry no "
            "information: these questions are left out."
        )
    if report.hard is not None:
        said.append(
            "The share of hands that are never won is meaningful only if the hands were not "
            "selected for being hard, and if the reference was measured with the same look-ahead "
            "and the same number of tries."
        )
    return said


def number(value: float) -> str:
    """A p-value or an e-value with its significant digits."""
    if value == 0:
        return "0"
    if value > 1e15:
        return "more than 1,000,000,000,000,000"
    return probability(value)


def found_and_honest(question: FairnessTest) -> tuple[str, str]:
    """The result and its expectation under an honest shuffle, as table cells."""
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
    return f"{per_cent(share, 1)} %"


def _share(share: Share) -> str:
    interval = share.interval()
    ends = f"{per_cent(interval.low, 1)} to {per_cent(interval.high, 1)}"
    return f"{_percent(share.value)}, 95 %: {ends}"


def _questions(asked: int) -> str:
    return "one question" if asked == 1 else f"{asked} questions"


def _games(games: int) -> str:
    return "1 game" if games == 1 else f"{games:,} games"
