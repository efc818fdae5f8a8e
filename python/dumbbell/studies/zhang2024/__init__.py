"""Y. Zhang: Congestion Control Algorithms: A Comparative Study of Cubic and BBR (UCSD, CSE 222A, 2024)."""
