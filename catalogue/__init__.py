"""The catalogue: schema, store, jobs and their runner, bounds, exports and the command line."""
