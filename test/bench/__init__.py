"""Benchmarks, side by side with the alternatives, and the bars they must meet."""
