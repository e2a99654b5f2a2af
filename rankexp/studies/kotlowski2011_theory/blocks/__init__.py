"""The extreme case of a bound, and answers by experiment."""
