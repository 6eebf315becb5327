"""Makes the pictures of the README and of the tour: `make pictures`.

It fills catalogues of its own with real jobs, serves them, and takes each picture in Chromium. A
new page is one more entry of `PICTURES`.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Browser, Page, expect, sync_playwright

from catalogue import store
from catalogue.jobs.queue import submit
from engine.dealing.dealers import parse_sample
from measuring.served import SECONDS, served

IMAGES = Path(__file__).with_name("images")
# Enough for a chart to have a shape; the jobs take a minute or two.
JOBS = (
    ("klondike-draw3", "thoughtful-1:0-1499", ["dead-end", "exact(nodes=200000)"]),
    ("klondike-draw3", "thoughtful-1:0-1499", ["greedy", "random"]),
    ("klondike-draw1", "thoughtful-1:0-299", ["exact(nodes=200000)"]),
)
_DRAW_1 = ["--rules", "klondike-draw1"]
# The start of thoughtful-1:1 as a person sees it after a first pass through the stock.
AS_SEEN = """Talon: 3H QD KC AC 4D 2C 6C 3C 6S 4C 5C 9D JS AH AD QS 3S 8S 6H 8C 2H TS 2S QH
JC
?? AS
?? ?? JH
?? ?? ?? KD
?? ?? ?? ?? 4S
?? ?? ?? ?? ?? 5D
?? ?? ?? ?? ?? ?? 8H"""
# The atlas is of so many deals under each of 34 rulesets.
ATLAS = ["reproduce", "blake-gent-2026", "--games", "1000", "--infer"]
MOST_BYTES = 150_000
SETTLED = "[data-testid=stApp][data-test-script-state=notRunning]"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: its file, the link it shows, and what must be seen before it is taken.

    `click` is the name of a button to press first and `then` what is seen after it, `at` an element
    to scroll to the top, `of` the catalogue, a key of `CATALOGUES`.
    """

    name: str
    link: str
    sign: str
    click: str = ""
    then: str = ""
    at: str = ""
    dark: bool = False
    width: int = 1120
    height: int = 760
    of: str = "usual"


# A game in its middle.
PLAYED = (
    "54 T T T T T T T T T T WF T W1 T W4 T T T W3 T T T WF T T T W7 57 56 16 T W3 T T W1 61 76 74"
)

PICTURES = (
    Picture(
        "play",
        f"/play?deal=thoughtful-1:42&rules=klondike-draw1&line={quote(PLAYED)}",
        ".play .choices button",
        height=640,
    ),
    Picture(
        "play-phone",
        f"/play?deal=thoughtful-1:42&rules=klondike-draw1&line={quote(PLAYED)}",
        ".play .choices button",
        click="Hint",
        then="[data-testid=notice] p:text('won')",
        width=360,
        height=640,
    ),
    Picture("daily", "/daily", "[data-testid=calendar]", width=360, height=640),
    Picture(
        "puzzle",
        "/puzzles?rules=klondike-draw1&key=tour",
        ".play .choices button",
        dark=True,
        width=360,
        height=640,
    ),
    Picture("overview", "/", ".sheet table"),
    Picture("bounds", "/bounds?width=5", "[data-testid=recorded-bounds]"),
    Picture("atlas", "/atlas", "[data-testid=building-and-spaces]", height=1060, of="atlas"),
    Picture(
        "check",
        f"/check?rules=klondike-draw1&text={quote(AS_SEEN)}",
        "[data-mark='1']",
        height=1000,
    ),
    Picture("deal", "/?deal=thoughtful-1:3", "[data-testid=sentence]", at="[data-testid=table]"),
    Picture(
        "board",
        "/?deal=thoughtful-1:42&rules=klondike-draw3&view=board",
        "[data-testid=gauge][data-verdict=winnable]",
        click="Win from here",
        then="[data-testid=line] .step",
        at="[data-testid=board]",
        height=1100,
    ),
    Picture(
        "board-phone",
        "/?deal=thoughtful-1:42&rules=klondike-draw3&view=board",
        "[data-testid=gauge][data-verdict=winnable]",
        at="[data-testid=board]",
        dark=True,
        width=360,
        height=720,
    ),
    Picture("deals", "/deals?status=winnable", ".sheet tbody tr"),
    Picture(
        "find",
        "/find?rules=klondike-draw1&level_from=6&level_to=8",
        "[data-testid=matching-deals]",
    ),
    Picture("difficulty", "/difficulty?rules=klondike-draw1", "[data-testid=levels]"),
    Picture("compare", "/compare", "[data-testid=won-and-not-won]"),
    Picture("jobs", "/jobs", "[data-testid=finished-jobs]"),
)


def fill(url: str) -> None:
    """Make the usual catalogue and run its jobs to their end."""
    store.init(url)
    with store.open_catalogue(url) as catalogue:
        for ruleset, sample, solvers in JOBS:
            submit(catalogue, ruleset, parse_sample(sample), solvers)
    _run(url, "runner")
    _run(url, "difficulty", "fit", "thoughtful-1:0-299", *_DRAW_1)


def fill_atlas(url: str) -> None:
    """Make a catalogue with deals under each ruleset of the atlas."""
    _run(url, *ATLAS)


CATALOGUES = {"usual": fill, "atlas": fill_atlas}


def _run(url: str, *command: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "thoughtful", *command],
        env={**os.environ, "THOUGHTFUL_DATABASE_URL": url},
        check=True,
    )


def take(browser: Browser, address: str, picture: Picture, images: Path) -> Path:
    """Take a picture; its file.

    Raises:
        SystemExit: it is larger than pictures of the documentation may be.
    """
    context = browser.new_context(
        viewport={"width": picture.width, "height": picture.height},
        color_scheme="dark" if picture.dark else "light",
        reduced_motion="reduce",
        has_touch=picture.width < 640,
    )
    page = context.new_page()
    page.goto(address + picture.link)
    _drawn(page, picture.sign)
    if picture.click:
        page.get_by_role("button", name=picture.click, exact=True).click()
        expect(page.locator(picture.then).first).to_be_visible()
    if picture.at:
        # Below the bar with the pages.
        page.locator(picture.at).first.evaluate(
            "e => { e.style.scrollMarginTop = '70px'; e.scrollIntoView(); }"
        )
    page.wait_for_function("() => document.getAnimations().every(a => a.playState !== 'running')")
    path = images / f"{picture.name}.png"
    page.screenshot(path=path)
    context.close()
    if path.stat().st_size > MOST_BYTES:
        raise SystemExit(f"{path} has {path.stat().st_size} bytes, above {MOST_BYTES}")
    return path


def _drawn(page: Page, sign: str) -> None:
    expect(page.locator(sign).first).to_be_visible()
    expect(page.locator(SETTLED)).to_have_count(1)
    expect(page.locator("[data-stale=true], [data-testid=stSkeleton]")).to_have_count(0)


def main() -> None:
    """Make all pictures, or those named as arguments."""
    wanted = set(sys.argv[1:]) or {each.name for each in PICTURES}
    if unknown := wanted - {each.name for each in PICTURES}:
        raise SystemExit(f"no such picture: {', '.join(sorted(unknown))}")
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("no Chromium: install it, on Debian with `apt-get install chromium`")
    expect.set_options(timeout=1000 * SECONDS)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for of, filled in CATALOGUES.items():
            pictures = [each for each in PICTURES if each.name in wanted and each.of == of]
            if not pictures:
                continue
            url = f"sqlite:///{folder}/{of}.db"
            filled(url)
            with served("dashboard", THOUGHTFUL_DATABASE_URL=url) as address:
                for picture in pictures:
                    print(take(browser, address, picture, IMAGES))
        browser.close()


if __name__ == "__main__":
    main()
