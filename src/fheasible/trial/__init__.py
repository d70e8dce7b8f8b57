"""Random applications as users write them, explored and really run, to find the tool's own faults."""
