"""The space of parameter sets, the search in it, the reasons, and the proof by running."""
