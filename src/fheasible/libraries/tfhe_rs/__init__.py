"""TFHE-rs 1.8.2: its sets of parameters, its work for each task, its memory and its files."""
