"""From runs to numbers: bands, slopes, intervals."""
