"""Best ranking functions of known densities, and what ordinal models and the hinge tend to."""
