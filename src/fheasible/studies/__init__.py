"""One folder per paper (experiments, published numbers, claims), and the frame that papers share."""
