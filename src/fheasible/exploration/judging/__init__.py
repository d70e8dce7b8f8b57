"""Whether a parameter set is right, secure and within the limits, and what it takes: singly or by columns."""
