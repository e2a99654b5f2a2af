"""Arrays in, arrays out: the optimisers behind the linear rankers."""
