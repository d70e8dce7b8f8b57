"""The Python API: the command line's answers as objects, a dataframe, text and HTML."""
