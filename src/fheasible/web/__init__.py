"""The page that a browser shows: a local server that explores and verifies, and the same as static files."""
