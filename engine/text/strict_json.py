"""Strict JSON parser that reports each error of the input in one sentence."""

import json
import re
from typing import Any, Never

from engine.errors import BadInput


def parse_json(text: str) -> Any:
    """Parse a JSON text.

    Raises:
        BadInput: the text is not JSON, or is JSON that Python cannot read.
    """
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise BadInput(f"not JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise BadInput("not readable JSON: nested too deeply") from None
    except ValueError as error:
        # A whole number with more digits than Python converts.
        raise BadInput(f"not readable JSON: {error}") from None


def _no_constant(name: str) -> Never:
    raise BadInput(f"{name} is not JSON")


# Kept, because making one takes longer than reading a deal.
_DECODER = json.JSONDecoder(parse_constant=_no_constant)


_BEGINS_JSON = re.compile(r'\s*(\{\s*($|["\'}])|\[\s*($|[\[{"\]]|-?[0-9]+\s*[],]))')


def looks_like_json(text: str) -> bool:
    """Whether a text begins as an object or an array does; ``[TS]`` is a card in brackets."""
    return _BEGINS_JSON.match(text) is not None


def looks_like_object(text: str, key: str) -> bool:
    """Whether a text looks like a JSON object with a key, without reading it."""
    return text.lstrip().startswith("{") and f'"{key}"' in text
