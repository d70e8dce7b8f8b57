"""Predictions set beside real runs that the fit did not see, and what that says of them."""
