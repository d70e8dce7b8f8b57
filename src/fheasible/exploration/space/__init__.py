"""Which parameter sets are tried."""
