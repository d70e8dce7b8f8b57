"""Program x parameters x profile -> estimate."""
