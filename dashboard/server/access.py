"""Who may change something: everybody, nobody, or those who have signed in.

The answer is asked for at the moment of every write (`check_may_write`, which the open catalogue
calls before each transaction); pages ask too, so that they do not offer what would be refused.
"""

import time
from functools import cache
from pathlib import Path

import streamlit as st
from streamlit import config

from catalogue.settings import check_writable, get_settings, listed
from engine.errors import BadInput


@cache
def _sign_in() -> tuple[str, ...] | None:
    """Names of the identity providers, empty for the only one; None if nobody needs to sign in.

    Read once: secrets that become unreadable later must not open the dashboard to everybody.

    Raises:
        BadInput: there are secrets, but they cannot be read; Streamlit would go on without them.
    """
    if not st.secrets.load_if_toml_exists():
        for name in config.get_option("secrets.files"):
            if Path(name).exists():
                # Not the parser's own words, which may quote a secret.
                raise BadInput(
                    f"the secrets in {name} cannot be read as TOML, so nobody can sign in, and "
                    "nothing can be changed or started"
                )
        return None
    if "auth" not in st.secrets:
        return None
    auth = st.secrets["auth"]
    named = [name for name in auth if hasattr(auth[name], "keys") and "client_id" in auth[name]]
    return ("",) if "client_id" in auth else tuple(named)


def check_may_write() -> None:
    """Refuse a write by a visitor who may only read.

    Raises:
        BadInput: the installation only reads, or the visitor is not signed in or not an editor.
    """
    check_writable()
    editors = {name.casefold() for name in listed(get_settings().editors)}
    if _sign_in() is None:
        if editors:
            raise BadInput(
                "THOUGHTFUL_EDITORS is set but no sign-in is configured: nothing can be changed or "
                "started here"
            )
        return
    user = st.user.to_dict()
    if user.get("is_logged_in") is not True or _expired(user.get("exp")):
        raise BadInput("only those who have signed in can change or start something here")
    if editors:
        address = str(user.get("email") or "").casefold()
        if address not in editors or user.get("email_verified") is False:
            raise BadInput(
                "your account is not among those that can change or start something here"
            )


def _expired(until: object) -> bool:
    """Whether an identity has run out; Streamlit keeps its cookie for longer."""
    return isinstance(until, (int, float)) and until < time.time()


def why_not_write() -> str | None:
    """The sentence why this visitor may only read; None if they may write."""
    try:
        check_may_write()
    except BadInput as error:
        return str(error)
    return None


def show_sign_in() -> None:
    """Show buttons to sign in or out, if there is anything to sign in to."""
    try:
        providers = _sign_in()
    except BadInput:
        return  # `why_not_write` says so where something would be written
    if providers is None:
        return
    with st.container(horizontal=True, key="sign-in", vertical_alignment="center"):
        user = st.user.to_dict()
        if user.get("is_logged_in") is True:
            st.text(f"Signed in as {user.get('email') or user.get('name') or user.get('sub')}")
            if st.button("Sign out", key="sign-out"):
                st.logout()
            return
        for name in providers:
            if st.button(f"Sign in with {name}" if name else "Sign in", key=f"sign-in-{name}"):
                st.login(name or None)
