"""Parameter sets that stand in people's code and configuration: read, never executed, and judged."""
