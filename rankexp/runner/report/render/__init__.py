"""What is shown as Markdown, LaTeX, CSV and text for the terminal, one kind a file."""
