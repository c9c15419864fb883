"""From numbers to pages: figures, tables, their style and number formats."""
