"""A few short runs, and the profile that is fitted to them."""
