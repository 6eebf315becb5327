"""The migrations, ordered by their chain of revisions."""
