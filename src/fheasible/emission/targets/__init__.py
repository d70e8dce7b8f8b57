"""How each library wants keys, operations, constants and inputs to be written: one file for each target."""
