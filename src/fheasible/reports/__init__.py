"""Figures, tables and pages, made from stored data alone. The code here knows neither schemes nor studies."""
