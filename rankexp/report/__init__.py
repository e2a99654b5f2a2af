"""From records to tables, figures and the page that shows them in order."""
