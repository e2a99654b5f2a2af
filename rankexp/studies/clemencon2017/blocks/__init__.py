"""Figures of integrated ROC curves and of published seeds."""
