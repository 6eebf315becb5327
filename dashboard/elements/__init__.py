"""Elements of pages: numbers, tables, charts, buttons and what they start."""
