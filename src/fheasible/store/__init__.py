"""Measurements and profiles in a database."""
