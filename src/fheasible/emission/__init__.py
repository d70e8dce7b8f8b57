"""A chosen parameter set with its program, written as code for a library: client, server, build file and
parameters."""
