"""Claypool, Claypool, Chung and Li, "Sharing but not Caring" (AICT 2019): BBR and CUBIC at one bottleneck."""
