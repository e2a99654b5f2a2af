"""Regrets of second-stage algorithms."""
