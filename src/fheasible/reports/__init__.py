"""Figures, tables and pages, from stored data alone; they know neither schemes nor studies."""
