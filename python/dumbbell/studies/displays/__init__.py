"""Figures and tables as rows of `figures.toml`, and what draws them."""
