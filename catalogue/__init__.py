"""What is known: schema, store, jobs and their runner, bounds, exports, command line."""
