"""Fast twins of the policies: equal in law to the file of the same name in policies/, in O(log T)."""
