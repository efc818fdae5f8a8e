"""Datta and Fund, "Replication: When to Use and When Not to Use BBR" (IMC 2023)."""
