"""Why the recommendation is what it is, and what else would be possible."""
