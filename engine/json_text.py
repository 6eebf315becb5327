"""JSON as users write it: read strictly, with one sentence for everything that is wrong."""

import json
from typing import Any, Never

from engine.errors import BadInput


def parse_json(text: str) -> Any:
    """The value that a text holds.

    Raises:
        BadInput: it is not JSON, or JSON that cannot be read.
    """
    try:
        return json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise BadInput(f"not JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise BadInput("not JSON we can read: nested too deeply") from None
    except ValueError as error:
        # A whole number of more digits than Python converts.
        raise BadInput(f"not JSON we can read: {error}") from None


def _no_constant(name: str) -> Never:
    raise BadInput(f"{name} is not JSON")
