"""The permanent names of deals."""

import re

from engine.errors import BadInput

_DIGEST = re.compile(r"[0-9a-f]{32}", re.ASCII)


def reference(dealer: str | None, seed: int | None, digest: str | bytes) -> str:
    """The permanent name of a deal: ``dealer:seed``, or its digest if it has no dealer."""
    if dealer is None:
        return digest.hex() if isinstance(digest, bytes) else digest
    return f"{dealer}:{seed}"


def digest_of(name: str) -> bytes | None:
    """Parse a digest; None if the name is not a digest."""
    return bytes.fromhex(name) if _DIGEST.fullmatch(name.lower()) else None


def not_a_deal(name: str) -> BadInput:
    """The error for a text that is not the name of a deal."""
    return BadInput(
        f"{name!r} is not a deal: expected dealer:seed such as thoughtful-1:42, "
        "or the 32 hexadecimal digits of a digest"
    )
