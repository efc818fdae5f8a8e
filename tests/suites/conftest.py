from ownstore import store

__all__ = ["store"]
