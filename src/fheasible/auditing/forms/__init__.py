"""One file for each library or wrapper: what its calls say of a set; and `reading.py`, which chooses."""
