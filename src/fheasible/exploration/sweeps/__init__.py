"""Many parameter sets of ring schemes analysed and run."""
