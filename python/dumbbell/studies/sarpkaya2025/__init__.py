"""Sarpkaya, Fund and others' measurements of BBR beside CUBIC and Reno on real hosts, for Ware's model."""
