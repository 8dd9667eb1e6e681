"""What holds for all tests."""

from hypothesis import settings

# The first example of a test loads kernels, and machines are shared: how long one takes says
# nothing.
settings.register_profile("sameriver", deadline=None)
settings.load_profile("sameriver")
