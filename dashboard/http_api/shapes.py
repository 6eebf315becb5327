"""The parameters of requests and the shapes of answers, from which the OpenAPI document is made."""

import datetime
import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from engine.games import DEFAULT_RULESET

# Budgets of a request that names none.
NODES = 1_000_000
MILLISECONDS = 1_000

_WON: dict[str, Any] = {
    "deal": "thoughtful-1:42",
    "digest": "127ca2b1a7db4f0c3d8de21d2c47497f",
    "rules": DEFAULT_RULESET,
    "verdict": "winnable",
    "source": "search",
    "solver": "exact v10",
    "follows_from": None,
    "nodes": 66,
    "length": 132,
    "reason": None,
    "next_search": None,
}
_LINE = (
    "54 T T T T W4 W1 WF T W3 T WF T W7 57 45 56 5F 53 T W5 65 76 75 63 16 R T T WF T T T WF "
    "W3 T R T T T W1 T T R T T T W7 T T R T T W7 37 32 3F T W5 W3 73 76 W1 61 T W5 25 42 4F "
    "H4 34 73 7F 4F 5F 3F 57 5F 43 4F 5F W6 4F 5F 36 3F 1F 63 6F 51 5F 6F 6F 2F 2F 3F 7F 3F "
    "3F 7F 3F 15 R T WF 1F 51 5F T WF R T WF WF 3F 1F 3F 1F 3F 1F 3F 1F 3F 5F 3F T WF 1F 1F "
    "3F 5F WF"
)
# With nodes=2000.
_UNDECIDED: dict[str, Any] = _WON | {
    "deal": "thoughtful-1:5",
    "digest": "60a7ffe9b6c268e98b8d870ad695feac",
    "verdict": "undecided",
    "nodes": 2_004,
    "length": None,
    "reason": "2,000 nodes did not suffice",
    "next_search": {
        "method": "GET",
        "href": f"/api/v1/verdict?deal=thoughtful-1%3A5&rules={DEFAULT_RULESET}&nodes=20000"
        "&milliseconds=5000",
        "command": None,
    },
}

Verdict = Literal["winnable", "unwinnable", "undecided"]

_DEAL = Field(
    min_length=1,
    max_length=16_000,
    description=(
        "name of a deal, its digest in the catalogue, or a deal or position as text in any form "
        "that the program reads"
    ),
    examples=["thoughtful-1:42", "pysolfc:12345"],
)
_RULES = Field(
    DEFAULT_RULESET,
    max_length=80,
    description="slug of the ruleset, one of /rulesets or composed like these",
    examples=[DEFAULT_RULESET],
)


class Parameters(BaseModel):
    """Parameters beside which there are no others."""

    model_config = ConfigDict(extra="forbid")


class PositionSent(Parameters):
    """Parameters that go with a deal or position in the body of a request."""

    rules: str = _RULES
    line: str = Field(
        "", max_length=16_000, description="moves made from there, with blanks", examples=["T T"]
    )
    form: str | None = Field(
        None,
        max_length=40,
        description="form of the text, such as solvitaire (default: detected)",
    )

    @property
    def names_rules(self) -> bool:
        """Whether the request itself names the ruleset; the text may state another if not."""
        return "rules" in self.model_fields_set


class MovesOfSent(PositionSent):
    """And the time of the search."""

    milliseconds: int = Field(
        MILLISECONDS,
        ge=1,
        description="time for the search; the server has a maximum",
        examples=[500],
    )


class VerdictOfSent(MovesOfSent):
    """And its nodes."""

    nodes: int = Field(
        NODES,
        ge=1,
        description="most positions that one search enters; the server has a maximum",
        examples=[100_000],
    )


class SolutionOfSent(VerdictOfSent):
    """And the notation of the moves."""

    notation: str | None = Field(
        None,
        max_length=40,
        description="notation of the moves; else our own",
        examples=["pysolfc"],
    )


class MovesAsked(MovesOfSent):
    """The same with the deal or position."""

    deal: str = _DEAL


class VerdictAsked(VerdictOfSent):
    """The same with the deal or position."""

    deal: str = _DEAL


class SolutionAsked(SolutionOfSent):
    """The same with the deal or position."""

    deal: str = _DEAL


class DealAsked(PositionSent):
    """A deal or position to be shown."""

    deal: str = _DEAL


# A parameter that may stand without a value, `?winnable`.
_Switch = Annotated[bool | Literal[""], AfterValidator(lambda given: given == "" or given)]


class RandomAsked(Parameters):
    """Conditions on a random deal."""

    rules: str = _RULES
    level: str | None = Field(
        None,
        pattern=r"^[0-9]{1,2}(-[0-9]{1,2})?$",
        description="level of difficulty, 1 to 10: one, or from A to B; only winnable deals with a "
        "level in the catalogue are drawn then",
        examples=["3-5"],
    )
    dealer: str | None = Field(
        None,
        max_length=40,
        description="dealer; else the usual one of the game, or any of a level",
        examples=["thoughtful-1"],
    )
    key: str | None = Field(
        None, max_length=200, description="the same key draws the same deal", examples=["monday"]
    )
    winnable: _Switch = Field(
        False,
        description="only a deal that the default solver of the ruleset wins at once, whatever the "
        "catalogue holds; without a value it is true",
        examples=[True],
    )


def _calendar_date(value: object) -> object:
    """A text that is a date as the document says; by itself pydantic takes numbers and times."""
    if isinstance(value, str) and not re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII):
        raise ValueError("expected a date such as 2026-11-24")
    return value


class DayAsked(Parameters):
    """The deal of which day."""

    rules: str = _RULES
    date: Annotated[datetime.date | None, BeforeValidator(_calendar_date)] = Field(
        None, description="by default today, of Universal Time", examples=["2026-11-24"]
    )


class BoundsAsked(Parameters):
    """Bounds of which ruleset."""

    rules: str | None = Field(
        None,
        max_length=80,
        description="slug of a ruleset; else of all",
        examples=[DEFAULT_RULESET],
    )


class ProblemAnswer(BaseModel):
    """An error, as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str = Field(description="one sentence")


class NextSearch(BaseModel):
    """The call that goes on where the budget did not suffice: a larger one, or a command."""

    method: Literal["GET", "POST"] | None = Field(
        description="POST: with the same body; null if only the command goes further"
    )
    href: str | None
    command: str | None


class HeadingAnswer(BaseModel):
    """Which position is told of."""

    deal: str | None = Field(description="name of the deal, if it is one with a name")
    digest: str | None = Field(description="of the cards of the deal, if it is one")
    rules: str


class UndecidedAnswer(BaseModel):
    """Fields of an answer that the budget did not suffice for."""

    reason: str | None = Field(description="why it is undecided, or unwinnable, in a sentence")
    next_search: NextSearch | None = Field(
        description="the call that goes on; null if it is decided, or no solver decides the ruleset"
    )


class VerdictAnswer(HeadingAnswer, UndecidedAnswer):
    """Whether a position can be won."""

    model_config = ConfigDict(json_schema_extra={"examples": [_WON, _UNDECIDED]})

    verdict: Verdict = Field(description="winnable and unwinnable are proved")
    source: Literal["search", "catalogue"]
    solver: str | None = Field(description="who decided it, with its version")
    follows_from: str | None = Field(
        description="the ruleset under which it was decided, if it follows from there"
    )
    nodes: int | None = Field(description="positions entered")
    length: int | None = Field(description="moves of the solution found, if there is one")


class SolutionAnswer(VerdictAnswer):
    """And how."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [_WON | {"notation": "thoughtful", "moves": _LINE.split()}]}
    )

    notation: str = Field(description="that of the moves")
    moves: list[str] = Field(
        description="the moves of a win in this notation, whose signs may stand for several moves "
        "or for none; empty without one"
    )


class MoveAnswer(BaseModel):
    """A legal move."""

    move: str
    verdict: Verdict = Field(description="of the position after it")
    length: int | None = Field(description="moves of the shortest win found that begins with it")
    wins: bool = Field(description="whether the game is won by it")


class MovesAnswer(HeadingAnswer, UndecidedAnswer):
    """The legal moves of a position."""

    verdict: Verdict = Field(description="of the position itself")
    won: bool
    complete: bool = Field(description="whether the position and every move are decided")
    moves: list[MoveAnswer] = Field(
        description="those that keep the win first, then those not decided, then those that lose"
    )
    safe: list[str] = Field(description="moves proved to lose no win, one after another")


class DealAnswer(HeadingAnswer):
    """A deal or position, its cards in every form."""

    game: str
    cards: str | None = Field(description="of a deal, in flat order, with blanks")
    board: str | None = Field(description="the position as a person types it")
    position: dict[str, Any] = Field(description="the position as JSON, as every call takes it")
    legal: list[str] = Field(description="its legal moves")
    formats: dict[str, str] = Field(description="a deal in the forms of other programs")
    level: int | None = Field(description="level of difficulty, 1 to 10, if the catalogue has one")


class DayAnswer(DealAnswer):
    """The deal of a day."""

    date: datetime.date
    weekday_level: int | None = Field(
        description="1 to 7, from the easiest on Monday to the hardest on Sunday, among winnable "
        "deals drawn for the week; null where no solver decides deals. `level` is the catalogue's"
    )
    length: int = Field(description="moves of a solution")


class BoundAnswer(BaseModel):
    """How many deals of a sample are winnable."""

    rules: str
    sample: str
    deals: int = Field(description="of the sample")
    n: int = Field(description="attempted; the denominator of both shares")
    winnable: int
    unwinnable: int
    unresolved: int
    lower: float = Field(description="share known winnable")
    upper: float = Field(description="share not known unwinnable")
    claimed: int = Field(
        description="of the unwinnable, those that other programs call so and nothing here proved"
    )
    claimed_by: list[str] = Field(description="these programs, with versions")
    upper_proved: float = Field(description="`upper` without these claims")
    sequence: tuple[float, float] = Field(
        description="99 % confidence sequence of the true share, valid while the sample grows"
    )
    fixed: tuple[float, float] | None = Field(
        description="99 % Clopper-Pearson interval of it, valid once the sample is complete; null "
        "where a job stops by the width of its interval, so that only the sequence is valid"
    )


class RulesetAnswer(BaseModel):
    """A named ruleset."""

    slug: str
    game: str
    summary: str
    decided_by: str | None = Field(description="the solver that decides its positions")
    is_default: bool = Field(description="whether it is that of its game, where none is named")


class DatasetFile(BaseModel):
    """A file of a dataset."""

    path: str
    bytes: int
    href: str


class DatasetAnswer(BaseModel):
    """A dataset that the server hands out."""

    name: str
    files: list[DatasetFile]
