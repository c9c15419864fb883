"""What only the workflow calls: campaigns, expected results, README blocks, the benchmark."""
