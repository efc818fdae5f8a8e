"""Measurements of real hosts, and how far each engine is from them."""
