"""Places: where rows are. A place hands out blocks and merges what a pass makes of them; it knows no learner."""
