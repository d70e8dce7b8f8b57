"""Running programs in worker processes, and the circumstances under which that was done."""
