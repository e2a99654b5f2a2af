"""The hinge of pairs on three points, solved exactly."""
