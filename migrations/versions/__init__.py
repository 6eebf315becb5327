"""The migrations, oldest first by their revision chain."""
