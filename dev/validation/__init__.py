"""Validation: how far each engine can be trusted, as `docs/validation.md` shows it, part by part.

`docs/validation/` has the record of each part, a JSON file each, and the page is made from them and nothing else.
"""
