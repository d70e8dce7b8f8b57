"""Random applications as users write them, explored and really run: what finds the tool's own faults."""
