"""Smooth risks along a path of penalties: preconditioned L-BFGS, certified."""
