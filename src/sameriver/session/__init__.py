"""The Python API."""

from sameriver.session.keeper import StateDir
from sameriver.session.plans import Plan
from sameriver.session.result import Result
from sameriver.session.session import Session

__all__ = ["Plan", "Result", "Session", "StateDir"]
