"""The report: one page with all results, `report.html`, that works from disk without a network."""
