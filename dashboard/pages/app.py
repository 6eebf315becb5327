"""Entry script of the dashboard: the pages and their navigation.

A deal's permanent link is the root with a query, ``/?deal=thoughtful-1:42``.
"""

import streamlit as st

from dashboard.access import show_sign_in
from dashboard.connection import sentences
from dashboard.pages import (
    ask,
    compare,
    deal,
    deals,
    difficulty,
    downloads,
    fairness,
    jobs,
    overview,
    verification,
)
from dashboard.tables import STYLE

st.set_page_config(
    page_title="Thoughtful",
    page_icon="♠️",
    layout="wide",
    menu_items={"About": "A catalogue of solved solitaire deals."},
)
# Lines of text stay readable on a wide screen; a phone keeps its little room for the cards.
st.html(
    f"""<style>
    [data-testid="stMainBlockContainer"] {{ max-width: 1180px; padding-top: 4.5rem; }}
    @media (max-width: 640px) {{
      [data-testid="stMainBlockContainer"] {{ padding-left: 0.9rem; padding-right: 0.9rem; }}
    }}
    {STYLE}
    </style>"""
)

# When the deal page is requested by its own address, it must not be the root: Streamlit would say
# that there is no such page.
at_deal = (st.context.url or "").rstrip("/").endswith("/deal")
linked = "deal" in st.query_params and not at_deal
overview_page = st.Page(overview.show, title="Overview", url_path="overview", default=not linked)
deal_page = st.Page(deal.show, title="Deal", url_path="deal", default=linked)
page = st.navigation(
    [
        overview_page,
        st.Page(ask.show, title="Ask", url_path="ask"),
        st.Page(deals.show, title="Deals", url_path="deals"),
        deal_page,
        st.Page(difficulty.show, title="Difficulty", url_path="difficulty"),
        st.Page(compare.show, title="Compare solvers", url_path="compare"),
        st.Page(jobs.show, title="Jobs", url_path="jobs"),
        st.Page(downloads.show, title="Downloads", url_path="downloads"),
        st.Page(fairness.show, title="Fairness", url_path="fairness"),
        st.Page(verification.show, title="Verification", url_path="verification"),
    ],
    position="top",
)
if linked and page is overview_page:
    # The browser's "back" button requests the page that was the root a moment ago.
    st.switch_page(deal_page, query_params=st.query_params.to_dict())
if page is overview_page:
    # The overview shares its path with every deal; without this the address would keep the deal.
    st.query_params.clear()
with sentences():
    page.run()
show_sign_in()
