"""The client: it alone has the secret key."""
