"""The Python API: what the command line answers, as objects, a dataframe, text and HTML."""
