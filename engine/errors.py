"""The exceptions every entry point turns into one clear sentence."""


class BadInput(ValueError):
    """Something a user handed us is wrong.

    The message is one sentence that names the value, what was expected and where;
    command line and dashboard print it as it stands.
    """


class BadMove(BadInput):
    """A text or byte that is no move of the notation at all."""


class IllegalMove(BadInput):
    """A well-formed move that the rules forbid in the position it was tried in."""
