"""Text files as arguments of commands."""


def shown(file: str) -> str:
    """The name of a file for sentences."""
    return "standard input" if file == "-" else file


def read_text(file: str) -> str:
    """Read a text file; ``-`` is standard input.

    Raises:
        BadInput: it cannot be read or is no text.
    """
    from catalogue.streams import open_input
    from engine.text.encoding import read_text as decoded

    with open_input(file) as stream:
        return decoded(stream.read(), shown(file))
