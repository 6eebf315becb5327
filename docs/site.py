"""The documentation site: `make site` builds it, without network, into `build/site`.

The pages are those of `docs/`, as they are read in the repository. They are copied to
`build/site-source`, where a few things are added that only a site needs:

- anchors of headings as repository browsers make them, so that a link works in both places;
- `CONTRIBUTING.md` and `CHANGELOG.md`, which stand outside `docs/`;
- the reference of the command line, from the program itself, in place of a mark in `commands.md`;
- the tables with their columns, from their dictionary, in place of a mark in `datasets.md`;
- the reference of the Python API, from the docstrings, in place of the marks in `reference.md`.

Every warning ends the build: a dead link, a missing anchor, a name that mkdocstrings cannot find.
"""

import argparse
import contextlib
import functools
import re
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
ROOT = DOCS.parent
SOURCE = ROOT / "build" / "site-source"
SITE = ROOT / "build" / "site"
# Pages that stand outside `docs/`, and their names on the site.
OUTSIDE = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
# Files here that make the site and its pictures; pages may link to every other one.
TOOLS = ("site.py", "pictures.py", "zensical.toml")
COMMANDS = "<!-- the reference of the commands stands here on the site -->"
COLUMNS = "<!-- the dictionary of columns stands here on the site -->"
PATHS = 'paths = ["../.."]'
MODULE = re.compile(r"<!-- module ([\w.]+)(?:: ([\w, ]+))? -->")

FENCE = re.compile(r" *(```|~~~)")
HEADING = re.compile(r"(#{1,6}) +(.+?) *$")
COLOUR = re.compile(r"\x1b\[[\d;]*m")
LINK = re.compile(r"(\]\()([^)\s]+)(\))")


def main() -> None:
    """Build the site, and serve it if asked to."""
    parser = argparse.ArgumentParser(prog="make site", description=__doc__)
    parser.add_argument("--serve", action="store_true", help="serve it afterwards, until Ctrl-C")
    parser.add_argument("--port", type=int, default=8503, help="where it is served")
    arguments = parser.parse_args()
    build(SOURCE, SITE)
    print(f"{SITE / 'index.html'}")
    if arguments.serve:
        with server(SITE, arguments.port) as serving:
            print(f"http://127.0.0.1:{serving.server_port}", flush=True)
            with contextlib.suppress(KeyboardInterrupt):
                serving.serve_forever()


def build(source: Path, site: Path) -> None:
    """Build the site from a copy of the pages; the process ends if something is wrong.

    Args:
        source: a folder of its own for the copy, which is made anew.
        site: the folder of the site, which is made anew.
    """
    for folder in (source, site):
        shutil.rmtree(folder, ignore_errors=True)
    stage(source)
    ended = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", "zensical.toml"],
        cwd=source,
        stderr=subprocess.PIPE,
        text=True,
    )
    if ended.returncode:
        # Its last line is the error, behind a traceback of its own.
        answer = COLOUR.sub("", ended.stderr.split("Traceback (most recent call last)")[0])
        sys.exit(f"{answer.strip()}\nthe site was not built")
    # Zensical writes below its own folder only.
    shutil.move(source / "site", site)


def server(site: Path, port: int) -> ThreadingHTTPServer:
    """A server of the built site on this machine; port 0 is a free one."""
    handler = functools.partial(_Quiet, directory=str(site))
    return ThreadingHTTPServer(("127.0.0.1", port), handler)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


def stage(source: Path) -> None:
    """Write the copy of the pages that the site is built from."""
    pages = source / "pages"
    for path in sorted(DOCS.rglob("*")):
        if path.suffix == ".md":
            name = path.relative_to(DOCS).as_posix()
            _write(pages / name, page(path.read_text("utf-8"), name))
        elif path.is_file() and path.name not in TOOLS and path.parent.name != "__pycache__":
            target = pages / path.relative_to(DOCS)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    for name, target_name in OUTSIDE.items():
        text = LINK.sub(_from_root, (ROOT / name).read_text("utf-8"))
        _write(pages / target_name, page(text, target_name))
    # The API reference is read from the sources here, wherever the copy lies.
    config = (DOCS / "zensical.toml").read_text("utf-8")
    (source / "zensical.toml").write_text(
        config.replace(PATHS, f"paths = [{str(ROOT)!r}]"), "utf-8"
    )


def page(text: str, name: str) -> str:
    """A page as the site has it.

    Args:
        text: the page as it stands in the repository.
        name: its path below `docs/`.
    """
    if COMMANDS in text:
        text = text.replace(COMMANDS, command_reference())
    if COLUMNS in text:
        text = text.replace(COLUMNS, column_reference())
    text = MODULE.sub(_directive, text)
    up = "../" * name.count("/")
    for outside, inside in OUTSIDE.items():
        text = text.replace(f"]({up}../{outside}", f"]({up}{inside}")
    return "\n".join(_with_anchors(text.splitlines())) + "\n"


def anchor(heading: str) -> str:
    """The anchor that repository browsers give a heading.

    Letters and digits in lower case, a hyphen for each space, and nothing for any other character.
    """
    bare = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    kept = (
        letter
        for letter in bare.strip().lower()
        if letter in " -_" or unicodedata.category(letter)[0] in "LNM"
    )
    return "".join(kept).replace(" ", "-")


def headings(lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """The headings of a page: number of the line, text, anchor. Those in code are none."""
    fenced = False
    seen: dict[str, int] = {}
    for number, line in enumerate(lines):
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced and (found := HEADING.match(line)):
            name = anchor(found[2])
            again = seen.get(name, 0)
            seen[name] = again + 1
            yield number, found[2], f"{name}-{again}" if again else name


def _with_anchors(lines: list[str]) -> list[str]:
    for number, _text, name in list(headings(lines)):
        if name:
            lines[number] = f"{lines[number].rstrip()} {{#{name}}}"
    return lines


def _from_root(found: re.Match[str]) -> str:
    """A link of a page that stood in the root, from where it stands on the site."""
    target = found[2]
    if target in OUTSIDE:
        target = OUTSIDE[target]
    return found[1] + target.removeprefix("docs/") + found[3]


def _directive(found: re.Match[str]) -> str:
    """What mkdocstrings writes the reference of a module from."""
    lines = [f"::: {found[1]}"]
    if found[2]:
        members = "".join(f"\n        - {name.strip()}" for name in found[2].split(","))
        lines.append(f"    options:\n      members:{members}")
    return "\n".join(lines)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def command_reference() -> str:
    """All commands with their arguments, options and examples, as Markdown."""
    import typer

    from thoughtful import command_line

    group: Any = typer.main.get_command(command_line.application())
    return "\n\n".join(_commands(group, None, "thoughtful"))


def column_reference() -> str:
    """All tables with their columns, as Markdown."""
    from catalogue.tables.columns import described, tables

    return "\n\n".join(
        "\n".join([f"### {name}", "", table.meaning, "", *described(table)])
        for name, table in tables().items()
    )


def _commands(group: Any, parent: Any, path: str) -> Iterator[str]:
    context = group.make_context(path, [], parent, resilient_parsing=True)
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if hasattr(command, "commands"):
            yield f"## {path} {name}\n\n{_prose(command.help)}"
            yield from _commands(command, context, f"{path} {name}")
        else:
            yield _command(command, context, f"{path} {name}", 3 if parent else 2)


def _command(command: Any, parent: Any, path: str, level: int) -> str:
    """One command: what it does, its examples, its arguments and options."""
    context = command.make_context(path, [], parent, resilient_parsing=True)
    answer, _, listed = command.help.replace(r"\[", "[").partition("Examples:")
    examples = "\n".join(line.strip() for line in listed.strip().splitlines())
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    parts = [
        f"{'#' * level} {path}",
        _prose(answer),
        f"```text\n{usage}\n```",
        f"```sh\n{examples}\n```",
    ]
    records = [each.get_help_record(context) for each in command.get_params(context)]
    rows = [_row(name, text) for name, text in filter(None, records)]
    parts.append("| argument or option | meaning |\n|---|---|\n" + "\n".join(rows))
    return "\n\n".join(parts)


def _row(name: str, text: str) -> str:
    """The row of an argument or an option."""
    # Behind the name of a value stands its type, in Python's words.
    name = re.sub(r" <[^ ]+>$", "", name)
    cells = (f"`{name}`", " ".join(_prose(text.replace(r"\[", "[")).split()))
    return "| " + " | ".join(each.replace("|", r"\|") for each in cells) + " |"


def _prose(text: str) -> str:
    """Text of a help without what Markdown would take for its own."""
    return text.strip().replace("<", "&lt;").replace("*", "\\*")


if __name__ == "__main__":
    main()
