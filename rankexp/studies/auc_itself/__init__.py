"""Does optimising the AUC itself pay? Zhou and Skiena (AAAI 2023), from the other end."""
