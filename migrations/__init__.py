"""Alembic migrations of the catalogue's schema."""
