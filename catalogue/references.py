"""The permanent names of deals."""


def reference(dealer: str | None, seed: int | None, digest: str) -> str:
    """The permanent name of a deal: ``dealer:seed``, or its digest when nobody dealt it."""
    return digest if dealer is None else f"{dealer}:{seed}"
