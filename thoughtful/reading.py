"""What callers give: the name of a deal, a text in any format, JSON, or one of our objects."""

import json
from typing import TYPE_CHECKING, Any

from engine.errors import BadInput

if TYPE_CHECKING:
    from engine.intake import ReadEntry


def entry_of(given: str | dict[str, Any], rules: str, form: str | None = None) -> "ReadEntry":
    """The deal or position that something shows.

    Raises:
        BadInput: it shows none, or one of another ruleset.
    """
    from engine.dealing.dealers import parse_deal_id
    from engine.intake import EntryReader
    from engine.rulesets import parse_ruleset

    ruleset = parse_ruleset(rules)
    if isinstance(given, dict):
        told = given.get("rules")
        if told is not None and told != ruleset.slug:
            raise BadInput(f"the position is of {told}, not of {ruleset.slug}: give rules={told!r}")
        given = json.dumps(given)
    if not isinstance(given, str):
        raise BadInput(
            f"expected the name of a deal, a text or plain data, not {type(given).__name__}"
        )
    if form is None and given.isidentifier():
        parse_deal_id(given)  # its error says what a name looks like
    return EntryReader(ruleset, form).read(given, 1)
