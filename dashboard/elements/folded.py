"""Text that is shown, to be copied, once somebody unfolds it."""

import streamlit as st


def show_folded(
    label: str, text: str, *, key: str, wraps: bool = False, below: str | None = None
) -> None:
    """Offer a text under a label; it is drawn when it is unfolded.

    What draws code in the browser is a large script, which no first paint should wait for.

    Args:
        label: what the text is.
        text: shown as it is, with a button that copies it.
        key: of the widget; unique on the page.
        wraps: whether long lines are continued below.
        below: a caption under the text.
    """
    fold = st.expander(label, key=key, on_change="rerun")
    if not fold.open:
        return
    with fold:
        st.code(text, language=None, wrap_lines=wraps)
        if below is not None:
            st.caption(below)
