"""What is gained in training beside what is gained in test."""
