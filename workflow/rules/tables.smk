# The tables.
