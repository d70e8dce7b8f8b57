"""Stored measurements beside each other: what got slower, and whether that is more than chance."""
