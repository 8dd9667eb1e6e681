"""Streaming SQL in Python that you can change while it runs."""

from sameriver.common import collecting
from sameriver.common.errors import ExternalError, InternalError, SameriverError, UserError
from sameriver.session import Result, Session
from sameriver.session.functions import udaf, udf, udtf

__all__ = [
    "ExternalError",
    "InternalError",
    "Result",
    "SameriverError",
    "Session",
    "UserError",
    "udaf",
    "udf",
    "udtf",
]

collecting.resume()
