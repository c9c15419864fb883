"""What is about this paper alone: its claims, its published numbers, its special studies."""
