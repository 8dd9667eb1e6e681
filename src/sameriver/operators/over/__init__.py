"""How OVER aggregates are computed, by kind of frame."""
