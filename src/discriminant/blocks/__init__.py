"""Block kinds: what a stretch of rows can do for a pass, once for each way rows are stored."""
