"""A diagnostic: what may make an answer worthless, and what to do about it."""

from rankexp.plugin import BeforeFitting, TableFacts


class ConstantColumns(BeforeFitting):
    """Columns have one value in all rows, so no method can use them."""

    def look(self, table: TableFacts) -> tuple[str, str] | None:
        """Return what is found, in sentences, and what to do, without the last full stop."""
        columns = [column for column in table.reading.columns if column.role == "feature"]
        found = [c.name for c in columns if c.low is not None and c.low == c.high]
        if not found:
            return None
        return f"The same value in all rows: {', '.join(found)}.", "Leave these columns out"
