"""Streamlit pages and the replay viewer."""
