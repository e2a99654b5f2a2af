"""Kotłowski, Dembczyński and Hüllermeier (2011), the experiments of section 5."""
