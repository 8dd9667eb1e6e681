"""Versions of a job: what becomes of saved state when the script changes, and the way back."""
