"""The two improvements of BBR that Claypool et al. (AICT 2019) propose and leave to future work."""
