"""The maintainers' proof that engines can be trusted, which no wheel has: `python -m dev --help` in a checkout.

`strata`, `curves` and `checks` compare two engines over conditions of their own; `validation` measures all of it, and
writes `docs/validation.md`. It uses the package, which knows nothing of it.
"""
