"""HTML about a store, or about studies judged from stores: opens without a network."""
