"""Runs of workers with less memory than the machine has: control groups, swap files, and what they show."""
