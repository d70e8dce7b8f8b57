"""What is asked: a circuit with its data, and what the user wants of a recommendation."""
