"""What measures a run: the simulator today, real kernels and networks later, all behind one Protocol."""
