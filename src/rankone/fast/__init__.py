"""Fast twins of the policies: equal in law to the file of that name in policies/, in O(log T)."""
