"""The dashboard: Streamlit pages and the replay viewer."""
