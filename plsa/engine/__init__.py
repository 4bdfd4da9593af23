"""Arrays in, arrays out: the loop, its steps, where it starts."""
