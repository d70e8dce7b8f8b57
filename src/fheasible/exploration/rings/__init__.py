"""Parameters of ring schemes: the space, the search, the choice, the reasons, the proof by running."""
