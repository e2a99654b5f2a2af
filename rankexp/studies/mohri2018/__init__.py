"""Mohri, Rostamizadeh and Talwalkar (2018), chapter 10: bounds and preferences."""
