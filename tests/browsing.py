"""Actions on a page that several browser tests use."""

from playwright.sync_api import Download, Error, Page, expect

from patience import wait_until

_TRY_MS = 2000
_SAVE_MS = 20_000


def choose(
    page: Page,
    label: str,
    option: str,
    *,
    exact: bool = True,
    is_long: bool = False,
    is_link: bool = False,
) -> None:
    """Choose an option of a list by its label.

    Of a long list only what fits is there, so the option is typed. The page may be redrawn while
    the list is open, which closes it; then it is opened again. A list that is a link leads to
    another page, whose list is empty, so what it says afterwards is not asked.
    """
    settle(page)
    box = page.get_by_role("combobox", name=label)

    def chosen() -> bool:
        try:
            box.click(timeout=_TRY_MS)
            if is_long:
                box.fill(option, timeout=_TRY_MS)
            page.get_by_role("option", name=option, exact=exact).first.click(timeout=_TRY_MS)
        except Error:
            return False
        return True

    wait_until(chosen, f"{label} offers {option}")
    if exact and not is_link:
        expect(box).to_have_value(option)


def pick(page: Page, option: str) -> None:
    """Choose one of the options that stand in a row on the page itself."""
    # While a page is drawn again, what it showed before stands beside what it shows now.
    settle(page)
    radio = page.get_by_test_id("stMain").get_by_role("radio", name=option, exact=True)
    expect(radio).to_have_count(1)
    radio.click()
    settle(page)


def settle(page: Page) -> None:
    """Wait until a page has been drawn; before that it may drop what is typed."""
    app = page.locator("[data-testid=stApp]")
    expect(app).to_have_attribute("data-test-script-state", "notRunning")


def unfold(page: Page, label: str) -> None:
    """Unfold the part of a page under this label.

    A part that is unfolded while the page is drawn may be drawn anew, folded.
    """
    summary = page.get_by_test_id("stExpander").locator("summary", has_text=label)
    expect(summary).to_have_count(1)

    def unfolded() -> bool:
        settle(page)
        if summary.locator("xpath=..").get_attribute("open") is not None:
            return True
        summary.click()
        return False

    wait_until(unfolded, f"{label} is unfolded")


def saved(page: Page, chart: str, ending: str) -> bytes:
    """What a button below a chart saves, pressed by the keyboard.

    Where a page has just been drawn again, Streamlit has forgotten what the button in the browser
    would save, and says so beside it; then it is pressed once more, as a visitor would.
    """
    button = page.locator(f".st-key-save-{chart}-{ending}").get_by_role("button")
    expect(button).to_have_count(1)

    def pressed() -> Download | None:
        settle(page)
        try:
            with page.expect_download(timeout=_SAVE_MS) as started:
                button.focus()
                page.keyboard.press("Enter")
        except Error:
            return None
        return started.value

    download = wait_until(pressed, f"{chart} is saved as {ending}")
    assert download.suggested_filename.endswith(f".{ending}")
    return download.path().read_bytes()
