"""The map and the glossary of `docs/architecture.md`: whole, short, and one word for one thing."""

import ast
import inspect
import io
import json
import re
import tokenize
from collections.abc import Iterator

import pytest

import thoughtful
from dashboard.http_api.app import make_api
from docs import site
from engine.dealing.dealers import dealers
from paths import ROOT
from solvers.registry import get_method, method_slugs
from test_architecture import ALLOWED, modules

PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")


def section(first: str, end: str) -> str:
    """The text of the page from a heading to another one."""
    return PAGE[PAGE.index(f"\n## {first}\n") : PAGE.index(f"\n## {end}\n")]


MAP = section("Map", "Recipes")


def glossary() -> list[tuple[str, str, tuple[str, ...]]]:
    """Word, meaning, and the words that do not stand for it, of each row of the glossary."""
    rows = PAGE[PAGE.index("\n## Glossary\n") :].splitlines()
    found = []
    for row in rows:
        if row.startswith("| ") and not row.startswith("| word "):
            word, meaning, where, others = (cell.strip() for cell in row.strip("|").split(" |"))
            assert where, f"in which module does {word} begin?"
            found.append((word, meaning, tuple(filter(None, others.split(", ")))))
    return found


def test_the_map_is_short() -> None:
    assert len([word for word in MAP.split() if re.search(r"\w", word)]) <= 800


@pytest.mark.parametrize("package", sorted(ALLOWED))
def test_the_map_names_every_folder(package: str) -> None:
    folders = {path.parent.relative_to(ROOT) for path in modules(package).values()}
    heading = "Around them" if package == "migrations" else package
    part = MAP[MAP.index(f"\n### {heading}") + 1 :].partition("\n### ")[0]
    missing = [
        folder.as_posix()
        for folder in folders
        if folder.as_posix() != package and f"{folder.name}/" not in part
    ]
    assert missing == []


def test_the_glossary_has_each_word_once() -> None:
    words = [word for word, _, _ in glossary()]
    assert len(words) > 35
    assert all(meaning for _, meaning, _ in glossary())
    assert sorted(set(words)) == sorted(words)


# --- one word for one thing ----------------------------------------------------------------------

WORDS = {word: row[0] for row in glossary() for word in row[2]}
FORBIDDEN = re.compile(rf"\b({'|'.join(map(re.escape, WORDS))})s?\b", re.IGNORECASE)
# What a class or a public name is not called: that something happened says not what it is.
PARTICIPLES = re.compile(
    r"(?:^|_|(?<=[a-z]))(Told|Asked|Sent|Wanted|Found|Made|Given|Seen|Looked|Tried|Needed|Chosen)$",
    re.IGNORECASE,
)


def faults(text: str) -> list[str]:
    """The words of a text that the glossary has others for, each with that."""
    return [
        f"{found[0]!r} in {text[max(0, found.start() - 40) : found.end() + 40]!r}: "
        f"{WORDS[found[1].lower()]}"
        for found in FORBIDDEN.finditer(text)
    ]


def captions(source: str) -> Iterator[str]:
    """The texts of a source that people see: those with a blank or a capital, no docstrings."""
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            continue
        if id(node) not in docstrings and re.search(r"[ A-Z]", node.value):
            yield node.value


# On pages the player is the reader, and programs are solvers or bots. What only statisticians know
# stands in the laboratory or behind a details mark, where it is explained.
OF_PAGES = re.compile(r"\bplayers?\b|\blogits?\b(?!\*)|\bRasch\b(?!: )", re.IGNORECASE)


def keys(source: str) -> Iterator[str]:
    """The keys of the objects that a source writes as JSON, and the names of its fields."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Dict):
            for key in node.keys:
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    yield key.value


# Modules with former words: seals begin with those of when the first rows were sealed, and the
# former names of a setting and of a check are accepted.
FORMER = ("catalogue.outcomes.seals", "catalogue.settings", "catalogue.verify.checks")


def words_of(name: str) -> str:
    """A name in words: those of `onAnswer` and `answer_of` have a blank between them."""
    return re.sub(r"[_-]|(?<=[a-z])(?=[A-Z])", " ", name)


def names(source: str) -> Iterator[str]:
    """Every name in Python, and every text that is no sentence, such as a key or a column."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NAME or (
            token.type == tokenize.STRING and not re.search(r"\s", token.string)
        ):
            yield token.string


JAVASCRIPT = re.compile(
    r"//[^\n]*"  # comments
    r"|(\"(?:[^\"\\\n]|\\.)*\"|`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*')"  # texts
    r"|([A-Za-z_$][\w$]*)"  # names
)


def names_and_texts(script: str) -> Iterator[str]:
    """Every name and every text in JavaScript, without its comments."""
    for found in JAVASCRIPT.finditer(script):
        yield from filter(None, found.groups())


def test_helps_keep_to_the_glossary() -> None:
    text = site.command_reference()
    assert len(text) > 30_000
    assert faults(text) == []


def test_the_http_api_keeps_to_the_glossary() -> None:
    document = json.dumps(make_api().openapi())
    assert len(document) > 20_000
    assert faults(document.replace("_", " ")) == []


def test_solvers_dealers_and_rulesets_keep_to_the_glossary() -> None:
    methods = [get_method(slug) for slug in method_slugs()]
    texts = [method.summary for method in methods]
    texts += [each.help for method in methods for each in method.parameters]
    texts += [dealer.summary for dealer in dealers().values()]
    assert len(texts) > 50
    assert [fault for text in texts for fault in faults(text)] == []


@pytest.mark.parametrize("package", ["dashboard", "thoughtful"])
def test_captions_and_keys_keep_to_the_glossary(package: str) -> None:
    seen, found = 0, []
    for module, path in modules(package).items():
        source = path.read_text("utf-8")
        for text in (*captions(source), *keys(source)):
            seen += 1
            found += [f"{module}: {fault}" for fault in faults(text.replace("_", " "))]
    for path in (ROOT / "dashboard").rglob("*.html"):
        found += faults(path.read_text("utf-8"))
    assert seen > 500
    assert found == []


def test_pages_call_no_program_a_player() -> None:
    texts = []
    for name in ("pages", "elements", "board", "play"):
        folder = ROOT / "dashboard" / name
        for path in folder.glob("*.py"):
            texts += captions(path.read_text("utf-8"))
        for path in folder.glob("*.js"):
            # Sentences; a text without a space is a name of the program.
            code = re.sub("//.*", "", path.read_text("utf-8"))
            quoted = re.findall(r'"[^"\n]*"|`[^`\n]*`', code)
            texts += [re.sub(r"[$][{][^}]*[}]", "", text) for text in quoted if " " in text]
        texts += [re.sub("<[^>]*>", "", path.read_text("utf-8")) for path in folder.glob("*.html")]
    assert len(texts) > 1_300
    assert [text for text in texts if OF_PAGES.search(text)] == []


@pytest.mark.parametrize("package", sorted(set(ALLOWED) - {"migrations"}))
def test_python_names_keep_to_the_glossary(package: str) -> None:
    read = [
        (module, name)
        for module, path in modules(package).items()
        if module not in FORMER
        for name in names(path.read_text("utf-8"))
    ]
    assert len(read) > 1_000
    found = {
        f"{module}: {fault}"
        for module, name in read
        for fault in faults(words_of(name))
        # The exact search has another hand: that of cards which are turned at a time.
        if package != "solvers" or "by hand" not in fault.lower()
    }
    assert found == set()


def test_scripts_keep_to_the_glossary() -> None:
    scripts = [*(ROOT / "dashboard").rglob("*.js")]
    texts = [text for path in scripts for text in names_and_texts(path.read_text("utf-8"))]
    assert len(texts) > 3_000
    assert [fault for text in texts for fault in faults(words_of(text))] == []


def test_the_python_package_keeps_to_the_glossary() -> None:
    texts, names = list[str](), list[str]()
    for name in thoughtful.__all__:
        public = getattr(thoughtful, name)
        names.append(name)
        texts += [name, inspect.getdoc(public) or ""]
        if inspect.isclass(public) and public.__module__.startswith("thoughtful"):
            for member, value in vars(public).items():
                if not member.startswith("_"):
                    names.append(member)
                    texts += [member, inspect.getdoc(value) or ""]
        elif callable(public) and not inspect.isclass(public):
            texts += inspect.signature(public).parameters
    assert len(texts) > 150
    assert [fault for text in texts for fault in faults(text.replace("_", " "))] == []
    assert [name for name in names if PARTICIPLES.search(name)] == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("2 pieces failed", 1),
        ("Column: Traits", 1),
        ("the deals looked at", 1),
        ("the judge of `exact`", 1),
        ("features, shards and a reference solver", 0),
        ("made again, and masterpieces", 0),
    ],
)
def test_a_wrong_word_is_seen(text: str, count: int) -> None:
    assert len(faults(text)) == count


def test_wrong_names_are_seen() -> None:
    python = 'judge = makerOf(row.trait_version, kind="piece")  # a maker\n"a told sentence"\n'
    script = 'const told = { onTold }; // a piece\nsay(`the ${piece} of`, "maker");\n'
    for texts, count in ((names(python), 4), (names_and_texts(script), 4)):
        assert sum(len(faults(words_of(text))) for text in texts) == count


def test_classes_are_nouns() -> None:
    found = {
        f"{module}: {node.name}"
        for package in set(ALLOWED) - {"migrations"}
        for module, path in modules(package).items()
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ClassDef) and PARTICIPLES.search(node.name)
    }
    assert found == set()
    for wrong in ("VerdictTold", "Found", "_Seen", "PositionSent"):
        assert PARTICIPLES.search(wrong)
    assert not PARTICIPLES.search("Background")
