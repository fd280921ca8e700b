"""What papers say in words, a file a paper, and the helpers of single papers."""
