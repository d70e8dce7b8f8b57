"""Predictions beside real runs that the fit did not see, and the errors that these runs show."""
