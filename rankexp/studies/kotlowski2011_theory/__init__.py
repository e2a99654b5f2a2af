"""Kotłowski, Dembczyński and Hüllermeier (2011), sections 3 and 4: the bounds on regrets."""
