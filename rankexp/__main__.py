"""`python -m rankexp` is the command line."""

from rankexp.cli import main

if __name__ == "__main__":
    main()
