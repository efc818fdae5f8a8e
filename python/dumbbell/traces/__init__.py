"""Lines as they change in time, made by documented processes: `dumbbell trace make`."""
