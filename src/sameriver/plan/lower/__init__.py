"""From rewritten logical nodes to physical ones; one file a family."""
