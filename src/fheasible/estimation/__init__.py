"""Estimates of time, memory and sizes, from a program, its parameters and a profile."""
