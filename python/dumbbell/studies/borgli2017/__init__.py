"""Borgli and Misund, "Comparing BBR and CUBIC Congestion Controls", University of Oslo, 2017."""
