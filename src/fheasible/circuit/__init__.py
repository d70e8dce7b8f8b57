"""What the user writes: a circuit of vector operations, and its interpreters."""
