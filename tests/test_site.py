"""The documentation site: it builds, its links lead somewhere, it fits a phone; and the version."""

import re
import shutil
import threading
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Request

from docs import site
from paths import ROOT
from patience import SECONDS

CONFIG = tomllib.loads((ROOT / "docs" / "zensical.toml").read_text("utf-8"))
# Pages that other pages link to, and that readers need not find by the navigation.
FOR_DEVELOPERS = ("results/twenty-changes.md",)
ROOT_PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"`[^`\n]*`")


def documents() -> list[Path]:
    return [*(ROOT / name for name in ROOT_PAGES), *sorted((ROOT / "docs").rglob("*.md"))]


def prose(text: str) -> Iterator[str]:
    """The lines of a document that are no code, without the code in them."""
    fenced = False
    for line in text.splitlines():
        if site.FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            yield CODE.sub("", line)


def dead_links(path: Path, text: str) -> list[str]:
    """Links of a document, as a repository browser follows them, that lead nowhere."""
    dead = []
    for line in prose(text):
        for target in LINK.findall(line):
            parts = urlsplit(target)
            if parts.scheme:
                continue
            file = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
            if not file.is_file() or not file.is_relative_to(ROOT):
                dead.append(target)
            elif parts.fragment:
                lines = file.read_text("utf-8").splitlines()
                anchors = {name for _, _, name in site.headings(lines)}
                if file.suffix != ".md" or parts.fragment not in anchors:
                    dead.append(target)
    return dead


def test_every_link_leads_to_a_file_and_a_heading() -> None:
    found = {path: dead_links(path, path.read_text("utf-8")) for path in documents()}
    assert len(found) > 40
    assert {path: links for path, links in found.items() if links} == {}


@pytest.mark.parametrize(
    ("link", "leads"),
    [
        ("api.md", True),
        ("api.md#budgets", True),
        ("#a-heading-with-code", True),
        ("#a-heading-with-code-1", True),
        ("../README.md", True),
        ("https://example.org/", True),
        ("no-such.md", False),
        ("api.md#no-such", False),
        ("#no-such", False),
        ("images", False),
        ("../../../etc/passwd", False),
    ],
)
def test_a_dead_link_is_seen(link: str, leads: bool, tmp_path: Path) -> None:
    text = f"# A heading, with `code`!\n\n[x]({link}) and `[y](no.md)`\n\n# A heading with code\n"
    page = ROOT / "docs" / "commands.md"
    if link.startswith("#"):
        (tmp_path / "page.md").write_text(text)
        page = tmp_path / "page.md"
        anchors = {name for _, _, name in site.headings(text.splitlines())}
        assert (link[1:] in anchors) is leads
    else:
        assert dead_links(page, text) == ([] if leads else [link])


def test_links_to_other_hosts_are_of_a_known_form() -> None:
    """They are not followed: nothing here needs a network."""
    hosts = set()
    for path in documents():
        for line in prose(path.read_text("utf-8")):
            for target in LINK.findall(line):
                parts = urlsplit(target)
                if parts.scheme:
                    assert parts.scheme in ("http", "https"), target
                    assert parts.hostname, target
                    hosts.add(parts.hostname)
    assert "keepachangelog.com" in hosts


def nav_pages(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    else:
        for inner in entry.values() if isinstance(entry, dict) else entry:
            yield from nav_pages(inner)


def test_every_page_has_one_place_in_the_navigation() -> None:
    listed = list(nav_pages(CONFIG["project"]["nav"]))
    written = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert sorted([*listed, *FOR_DEVELOPERS]) == sorted([*written, *site.OUTSIDE.values()])


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly."""
    folder = tmp_path_factory.mktemp("site")
    site.build(folder / "source", folder / "site")
    return folder / "site"


def html_of(built: Path, page: str) -> Path:
    """The file of a page of the navigation."""
    name = page.removesuffix(".md")
    name = name.removesuffix("index").rstrip("/")
    return built / name / "index.html"


def test_the_site_is_built(built: Path) -> None:
    for page in nav_pages(CONFIG["project"]["nav"]):
        assert html_of(built, page).is_file(), page
    commands = html_of(built, "commands.md").read_text("utf-8")
    for shown in ("thoughtful dataset build", "thoughtful job submit", "--until-width"):
        assert shown in commands
    reference = html_of(built, "reference.md").read_text("utf-8")
    for shown in ("clopper_pearson", "parse_ruleset", "legal_moves", 'id="thoughtful.solve"'):
        assert shown in reference
    assert "<!-- " not in reference
    assert (built / "search.json").stat().st_size > 100_000
    assert (built / "examples" / "client.html").is_file()


class Links(HTMLParser):
    """The links of a page, to whatever kind of file, and its anchors."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name == "id" and value:
                self.anchors.add(value)


def test_every_link_of_the_site_leads_to_a_file_and_an_anchor(built: Path) -> None:
    """Data, pictures and readers of lists among them, which the builder does not look at."""
    pages = {page: Links(page) for page in built.rglob("*.html")}
    dead, followed = [], 0
    for page, found in pages.items():
        for link in found.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            base = built if parts.path.startswith("/") else page.parent
            file = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else page
            file = file / "index.html" if file.is_dir() else file
            followed += 1
            anchors = pages[file].anchors if file in pages else set()
            if not file.is_file() or (parts.fragment and unquote(parts.fragment) not in anchors):
                dead.append((page.relative_to(built).as_posix(), link))
    assert followed > 5_000
    assert dead == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    "text", ["[x](no_such.md)", "[x](#no_such)", "<!-- module engine.no_such -->"]
)
def test_what_leads_nowhere_ends_the_build(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    shutil.copy(ROOT / "docs" / "zensical.toml", docs)
    (docs / "index.md").write_text(f"# Start\n\n{text}\n")
    monkeypatch.setattr(site, "DOCS", docs)
    monkeypatch.setattr(site, "OUTSIDE", {})
    with pytest.raises(SystemExit, match="the site was not built") as ended:
        site.build(tmp_path / "source", tmp_path / "site")
    assert "no_such" in str(ended.value)
    assert not (tmp_path / "site").exists()


@pytest.fixture(scope="session")
def address(built: Path) -> Iterator[str]:
    """The built site, served."""
    with site.server(built, 0) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join(SECONDS)


def phone(browser: Browser, scheme: str = "light") -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 360, "height": 740},
        has_touch=True,
        is_mobile=True,
        color_scheme=scheme,  # type: ignore[arg-type]  # one of its words
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.set_default_timeout(1000 * SECONDS)
    yield page
    context.close()


@pytest.fixture
def small(browser: Browser) -> Iterator[Page]:
    yield from phone(browser)


@pytest.fixture
def dark(browser: Browser) -> Iterator[Page]:
    yield from phone(browser, "dark")


def link_of(address: str, page: str) -> str:
    name = page.removesuffix(".md").removesuffix("index").rstrip("/")
    return f"{address}/{name}/" if name else f"{address}/"


# Whatever is wider than the window must lie in a box that scrolls by itself.
STICKS_OUT = """() => {
  const wide = document.documentElement.clientWidth + 1, found = [];
  const inBox = (element) => {
    for (let box = element.parentElement; box && box !== document.body; box = box.parentElement) {
      const { overflowX } = getComputedStyle(box);
      if (overflowX !== "visible" && box.getBoundingClientRect().right <= wide) return true;
    }
    return false;
  };
  for (const element of document.querySelectorAll("article *")) {
    const { right, width, height } = element.getBoundingClientRect();
    if (width && height && right > wide && element.checkVisibility() && !inBox(element))
      found.push(`${element.tagName} ${element.textContent.slice(0, 40)} to ${Math.round(right)}`);
  }
  return found;
}"""


def check_fits(page: Page, link: str, others: list[str]) -> None:
    page.goto(link)
    page.wait_for_load_state("networkidle")
    scrolled = page.evaluate("() => { scrollTo(1000, 0); return scrollX }")
    assert scrolled == 0, f"{link} scrolls sideways by {scrolled}"
    assert page.evaluate(STICKS_OUT) == [], link
    assert others == [], f"{link} asks other hosts"


def watch(page: Page, address: str) -> list[str]:
    """The requests of a page that go to other hosts, as they come."""
    others: list[str] = []

    def see(asked: Request) -> None:
        if not asked.url.startswith((address, "data:", "blob:")):
            others.append(asked.url)

    page.on("request", see)
    return others


@pytest.mark.thorough
def test_every_page_fits_a_phone_and_asks_nobody_else(small: Page, address: str) -> None:
    others = watch(small, address)
    for page in nav_pages(CONFIG["project"]["nav"]):
        check_fits(small, link_of(address, page), others)


@pytest.mark.thorough
def test_the_navigation_and_the_search_are_reached_on_a_phone(small: Page, address: str) -> None:
    small.goto(link_of(address, "index.md"))
    small.locator(".md-header label[for=__drawer]").tap()
    small.get_by_role("link", name="Tour", exact=True).first.wait_for(state="visible")
    small.get_by_text("How to", exact=True).first.tap()
    drawer = small.locator(".md-sidebar--primary")
    entry = drawer.get_by_role("link", name="For researchers: datasets")
    entry.wait_for(state="visible")
    entry.tap()
    small.wait_for_url("**/how-to/researchers/")
    assert small.get_by_role("heading", level=1).inner_text().startswith("For researchers")
    small.locator(".md-header label[for=__search]").tap()
    small.get_by_role("combobox").fill("McNemar")
    found = small.get_by_role("option").filter(has_text="Comparing two solvers")
    found.wait_for(state="visible")
    found.tap()
    small.wait_for_url("**/statistics/**")


MAIN = ("index.md", "how-to/makers.md", "statistics.md", "commands.md", "results/index.md")


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", ["small", "dark"])
def test_axe_finds_nothing_serious(
    scheme: str, address: str, request: pytest.FixtureRequest
) -> None:
    page: Page = request.getfixturevalue(scheme)
    for name in MAIN:
        page.goto(link_of(address, name))
        page.wait_for_load_state("networkidle")
        answer = Axe().run(page).response["violations"]
        serious = [
            (each["id"], [node["target"] for node in each["nodes"]][:3])
            for each in answer
            if each["impact"] in ("serious", "critical")
        ]
        assert serious == [], name


# The version.
RELEASED = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$", re.MULTILINE)


def top_release(changelog: str) -> str | None:
    """The newest released version of a changelog; None before the first release."""
    assert changelog.count("\n## [Unreleased]\n") == 1
    headings = re.findall(r"^## .*$", changelog, re.MULTILINE)
    assert headings[0] == "## [Unreleased]"
    assert all(RELEASED.match(each) for each in headings[1:]), headings
    released = RELEASED.search(changelog)
    return released[1] if released else None


def test_one_version_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    released = top_release((ROOT / "CHANGELOG.md").read_text("utf-8"))
    # Before the first release the program has the number that this will have.
    wanted = released or "0.1.0"
    assert (project["version"], cited["version"], version("thoughtful")) == (wanted,) * 3
    wheels = re.findall(
        r"thoughtful-([\d.]+)-py3", site.DOCS.joinpath("python.md").read_text("utf-8")
    )
    assert set(wheels) == {wanted}
    assert ("date-released" in cited) == (released is not None)
    assert project["license"] == cited["license"]


def test_the_newest_release_is_found() -> None:
    start = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n"
    assert top_release(start) is None
    assert top_release(f"{start}## [1.10.0] - 2027-01-02\n\n## [1.9.0] - 2026-12-31\n") == "1.10.0"
    with pytest.raises(AssertionError):
        top_release(f"{start}## 1.10.0\n")


def test_the_citation_has_what_the_format_requires() -> None:
    """Citation File Format 1.2.0: the required keys, and the form of those that are there."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
    assert set(cited) <= {
        *("abstract", "authors", "cff-version", "date-released", "doi", "identifiers"),
        *("keywords", "license", "message", "repository-code", "title", "type", "url", "version"),
    }
    assert cited["cff-version"] == "1.2.0"
    assert cited["type"] in ("software", "dataset")
    assert all("name" in author or "family-names" in author for author in cited["authors"])
    assert len(set(cited["keywords"])) == len(cited["keywords"])
    assert all(isinstance(cited[key], str) for key in ("title", "message", "version", "license"))
    # What is missing is said, and what is there is not said to be missing.
    assert ("has not been released yet" in cited["message"]) == ("date-released" not in cited)
    assert ("no public address" in cited["message"]) == ("repository-code" not in cited)
