"""Uematsu (2010), best ranking functions of losses with two or more levels."""
