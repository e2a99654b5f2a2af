"""The best rankings under a hinge of pairs, and costs of pairs."""
