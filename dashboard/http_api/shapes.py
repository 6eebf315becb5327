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
    "won": False,
    "source": "search",
    "solver": "exact v11",
    "follows_from": None,
    "nodes": 66,
    "ending": None,
    "limit": None,
    "reason": None,
    "next_search": None,
}
_LINE = (
    "54 T T T T W4 W1 WF T W3 T WF T W7 57 45 56 5F 53 T W5 65 76 75 63 16 R T T WF T T W5 W7 T "
    "WF W3 T W5 25 42 R T T W7 37 35 3F 4F T W1 W3 73 W1 76 H4 74 7F 3F 5F 4F 4F 57 5F 4F 5F 5F "
    "61 T W6 36 3F 1F 63 6F 51 5F R T WF 6F 6F 2F 2F 3F 3F 7F 3F 7F 3F WF 3F W2 T W2 W2 WF 1F 3F "
    "1F 1F 3F 3F 1F 3F 3F 5F 2F 1F 5F 2F 1F 2F 5F 3F 5F"
)
_SOLVED = _WON | {
    "notation": "thoughtful",
    "moves": _LINE.split(),
    "length": len(_LINE.split()),
}
# With nodes=2000.
_UNDECIDED: dict[str, Any] = _WON | {
    "deal": "thoughtful-1:5",
    "digest": "60a7ffe9b6c268e98b8d870ad695feac",
    "verdict": "undecided",
    "nodes": 2_004,
    "ending": "nodes",
    "limit": "2,000 nodes",
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
    """Parameters of a request; others are refused."""

    model_config = ConfigDict(extra="forbid")


class PositionParameters(Parameters):
    """Parameters that go with a deal or position in the body of a request."""

    rules: str = _RULES
    line: str = Field(
        "",
        max_length=16_000,
        description="moves played from there, separated by blanks",
        examples=["T T"],
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


class MovesParameters(PositionParameters):
    """Parameters of a search for the verdicts of moves, beside a body."""

    milliseconds: int = Field(
        MILLISECONDS,
        ge=1,
        description="time for the search; the server has a limit",
        examples=[500],
    )


class VerdictParameters(MovesParameters):
    """Parameters of a search for a verdict, beside a body."""

    nodes: int = Field(
        NODES,
        ge=1,
        description="maximum number of positions that one search enters; the server has a limit",
        examples=[100_000],
    )


class SolutionParameters(VerdictParameters):
    """Parameters of a search for a solution, beside a body."""

    notation: str | None = Field(
        None,
        max_length=40,
        description="notation of the moves (default: thoughtful)",
        examples=["pysolfc"],
    )


class MovesRequest(MovesParameters):
    """A request for the verdicts of moves."""

    deal: str = _DEAL


class VerdictRequest(VerdictParameters):
    """A request for a verdict."""

    deal: str = _DEAL


class SolutionRequest(SolutionParameters):
    """A request for a solution."""

    deal: str = _DEAL


class DealRequest(PositionParameters):
    """A request for the cards of a deal or position."""

    deal: str = _DEAL


# A parameter that may stand without a value, `?winnable`.
_Switch = Annotated[bool | Literal[""], AfterValidator(lambda given: given == "" or given)]


class RandomRequest(Parameters):
    """A request for a random deal, with conditions."""

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
        description="dealer (default: that of the game; with a level, any)",
        examples=["thoughtful-1"],
    )
    key: str | None = Field(
        None, max_length=200, description="the same key draws the same deal", examples=["monday"]
    )
    winnable: _Switch = Field(
        False,
        description="only a deal that is won at once when it is drawn, whatever the catalogue "
        "holds; without a value it is true",
        examples=[True],
    )


def _calendar_date(value: object) -> object:
    """A text that is a date as the document says; by itself pydantic takes numbers and times."""
    if isinstance(value, str) and not re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII):
        raise ValueError("expected a date such as 2026-11-24")
    return value


class DayRequest(Parameters):
    """A request for the deal of a day."""

    rules: str = _RULES
    date: Annotated[datetime.date | None, BeforeValidator(_calendar_date)] = Field(
        None, description="default: today, in Universal Time", examples=["2026-11-24"]
    )


class PuzzleRequest(Parameters):
    """A request for a puzzle."""

    rules: str = _RULES
    theme: str | None = Field(
        None,
        max_length=40,
        description="only a puzzle in which the play does this",
        examples=["king"],
    )
    key: str | None = Field(
        None,
        max_length=200,
        description="the same key gives the same puzzle; default: a random one",
        examples=["monday"],
    )


class BoundsRequest(Parameters):
    """A request for bounds."""

    rules: str | None = Field(
        None,
        max_length=80,
        description="slug of a ruleset (default: all)",
        examples=[DEFAULT_RULESET],
    )


class ProblemAnswer(BaseModel):
    """An error, as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str = Field(description="one sentence")


class NextSearch(BaseModel):
    """The call that goes on where the budget did not suffice: with more budget, or a command."""

    method: Literal["GET", "POST"] | None = Field(
        description="POST: with the same body; null if only the command goes further"
    )
    href: str | None
    command: str | None


class HeadingAnswer(BaseModel):
    """The position that an answer is about."""

    deal: str | None = Field(description="name of the deal, if it has one")
    digest: str | None = Field(description="digest of the cards, if it is a deal")
    rules: str


class VerdictAnswer(HeadingAnswer):
    """Whether a position can be won."""

    model_config = ConfigDict(json_schema_extra={"examples": [_WON, _UNDECIDED]})

    verdict: Verdict = Field(description="winnable and unwinnable are proved")
    won: bool = Field(description="whether the game is won already")
    source: Literal["search", "catalogue"]
    solver: str | None = Field(description="solver that decided it, with its version")
    follows_from: str | None = Field(
        description="the ruleset under which it was decided, if it follows from there"
    )
    nodes: int | None = Field(description="positions entered")
    ending: Literal["nodes", "time", "memory", "no_solver"] | None = Field(
        description="what ended a search before it was complete"
    )
    limit: str | None = Field(description="the limit of the budget that ended it, in words")
    reason: str | None = Field(description="why it is undecided, or unwinnable, in a sentence")
    next_search: NextSearch | None = Field(
        description="the call that goes on; null if it is decided, or no solver decides the ruleset"
    )


_LENGTH: Any = Field(description="moves of the win shown, if there is one")


class SolutionAnswer(VerdictAnswer):
    """Whether a position can be won, and the moves of a win."""

    model_config = ConfigDict(json_schema_extra={"examples": [_SOLVED]})

    length: int | None = _LENGTH
    notation: str = Field(description="notation of the moves")
    moves: list[str] = Field(
        description="the moves of a win in this notation, a sign of which may stand for several "
        "moves or for none; empty without a win"
    )


class MoveAnswer(BaseModel):
    """A legal move."""

    move: str
    verdict: Verdict = Field(description="verdict of the position after it")
    length: int | None = Field(description="moves of the shortest win found that begins with it")
    wins: bool = Field(description="whether it wins the game")
    same_as: str | None = Field(
        description="another move to the same position but for the order of cells or columns"
    )


class MovesAnswer(VerdictAnswer):
    """And the legal moves."""

    model_config = ConfigDict(json_schema_extra={})

    length: int | None = _LENGTH
    complete: bool = Field(description="whether the position and every move are decided")
    moves: list[MoveAnswer] = Field(
        description="first those that keep the win, then the undecided, then those that lose it; "
        "those that are the same as another last"
    )
    safe: list[str] = Field(description="moves proved to lose no win, one after another")


class DealAnswer(HeadingAnswer):
    """A deal or position, with its cards in every form."""

    game: str
    cards: str | None = Field(description="cards of a deal in flat order, separated by blanks")
    board: str | None = Field(description="the position as text that a person can type")
    position: dict[str, Any] = Field(description="the position as JSON, as every call takes it")
    legal: list[str] = Field(description="its legal moves")
    formats: dict[str, str] = Field(description="a deal in the forms of other programs")
    level: int | None = Field(description="level of difficulty, 1 to 10, if the catalogue has one")


class DayAnswer(DealAnswer):
    """The deal of a day."""

    date: datetime.date
    weekday_level: int | None = Field(
        description="1 to 7, from the easiest on Monday to the hardest on Sunday, among winnable "
        "deals drawn for the week; null where no solver grades deals. `level` is the catalogue's"
    )
    length: int = Field(description="number of moves of a solution")


class PuzzleAnswer(BaseModel):
    """A position in which one play alone keeps the win, with its solution."""

    key: str
    ruleset: str
    deal: str = Field(description="name of the deal of the game")
    moves: list[str] = Field(description="moves from its start to the position")
    position: dict[str, Any] = Field(description="the position as JSON, as every call takes it")
    board: str | None = Field(description="the position as text that a person can type")
    solution: list[str] = Field(
        description="moves of the play that keeps the win: turns of the stock and moves that can "
        "be taken back, then a move for good"
    )
    rest: list[str] = Field(description="moves of a win after it")
    plays: int = Field(description="plays to choose from; all but one are proved to lose")
    themes: list[str] = Field(description="what the play does and leaves undone")
    level: int | None = Field(
        description="1 to 10, the easiest first; null where the ruleset has no model of puzzles"
    )
    level_name: str | None = Field(description="the name of the level")


class BoundAnswer(BaseModel):
    """Lower and upper bound on the winnable share of a sample."""

    rules: str
    sample: str
    deals: int = Field(description="number of deals of the sample")
    n: int = Field(description="attempted; the denominator of both shares")
    winnable: int
    unwinnable: int
    unresolved: int
    lower: float = Field(description="share known winnable")
    upper: float = Field(description="share not known unwinnable")
    claimed: int = Field(
        description="number of the unwinnable deals that only other programs call unwinnable"
    )
    claimed_by: list[str] = Field(description="those programs, with their versions")
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
    is_default: bool = Field(description="whether it is the default ruleset of its game")


class DatasetFile(BaseModel):
    """A file of a dataset."""

    path: str
    bytes: int
    href: str


class DatasetAnswer(BaseModel):
    """A dataset that the server offers for download."""

    name: str
    files: list[DatasetFile]
