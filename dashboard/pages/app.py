"""Entry script of the dashboard: the pages and their navigation.

A deal's permanent link is the root with a query, ``/?deal=thoughtful-1:42``.
"""

import streamlit as st

from dashboard.elements.links import keep_place, read_former_names
from dashboard.elements.tables import STYLE
from dashboard.pages import (
    atlas,
    bounds,
    check,
    compare,
    deal,
    deals,
    difficulty,
    downloads,
    fairness,
    find,
    jobs,
    overview,
    play,
    verification,
)
from dashboard.server.access import show_sign_in
from dashboard.server.connection import sentences

st.set_page_config(
    page_title="Thoughtful",
    page_icon="♠️",
    layout="wide",
    menu_items={"About": "A catalogue of solved solitaire deals."},
)
# Lines of text stay readable on a wide screen; a phone keeps its little room for the cards.
# Streamlit's own captions and coloured code are paler than the 4.5 to 1 that small text needs,
# and white on the bright green of the dark theme is too.
st.html(
    f"""<style>
    [data-testid="stMainBlockContainer"] {{ max-width: 1180px; padding-top: 4.5rem; }}
    @media (max-width: 640px) {{
      [data-testid="stMainBlockContainer"] {{ padding-left: 0.9rem; padding-right: 0.9rem; }}
    }}
    .stApp [data-testid="stCaptionContainer"] {{ opacity: 0.8; }}
    .stApp [data-testid="stMultiSelectTagsContainer"] span:has(> span[title]) *,
    .stApp [data-testid^="stBaseButton-primary"]:not(:disabled) * {{
      color: light-dark(#fff, #10201c);
    }}
    .stApp [data-testid="stCode"] .token {{ color: inherit !important; }}
    {STYLE}
    </style>"""
)

# When the deal page is requested by its own address, it must not be the root: Streamlit would say
# that there is no such page.
elsewhere = (st.context.url or "").rstrip("/").endswith(("/deal", "/play"))
linked = "deal" in st.query_params and not elsewhere
overview_page = st.Page(overview.show, title="Overview", url_path="overview", default=not linked)
# Other pages lead to it; what it says of no deal in particular stands on the page of deals.
deal_page = st.Page(deal.show, title="Deal", url_path="deal", default=linked, visibility="hidden")
page = st.navigation(
    {
        "Catalogue": [
            overview_page,
            st.Page(deals.show, title="Deals", url_path="deals"),
            bounds.page(),
            st.Page(difficulty.show, title="Difficulty", url_path="difficulty"),
            st.Page(atlas.show, title="Atlas", url_path="atlas"),
            st.Page(downloads.show, title="Downloads", url_path="downloads"),
            deal_page,
        ],
        "Play": [
            st.Page(play.show, title="Play", url_path="play"),
            st.Page(play.show_daily, title="Deal of the day", url_path="daily"),
            st.Page(play.show_puzzles, title="Puzzles", url_path="puzzles"),
            check.page(),
            st.Page(find.show, title="Find a deal", url_path="find"),
        ],
        "Laboratory": [
            st.Page(compare.show, title="Compare solvers", url_path="compare"),
            st.Page(fairness.show, title="Fairness", url_path="fairness"),
            st.Page(jobs.show, title="Jobs", url_path="jobs"),
            st.Page(verification.show, title="Verification", url_path="verification"),
        ],
    },
    position="top",
)
if linked and page is overview_page:
    # The browser's "back" button requests the page that was the root a moment ago.
    st.switch_page(deal_page, query_params=st.query_params.to_dict())
if page is overview_page:
    # The overview shares its path with every deal; without this the address would keep the deal.
    st.query_params.clear()
st.set_page_config(page_title=f"{page.title} · Thoughtful")
keep_place()
read_former_names()
with sentences():
    page.run()
show_sign_in()
