"""Streaming SQL in Python that you can change while it runs."""

from sameriver.common import allocator, collecting  # noqa: F401 - before Polars is loaded
from sameriver.common.errors import ExternalError, InternalError, SameriverError, UserError
from sameriver.compat import CompatibilityReport, Verdict
from sameriver.deploy.upgrade import UpgradeRefused
from sameriver.session import Result, Session, StateDir
from sameriver.session.check import check
from sameriver.session.functions import udaf, udf, udtf

__all__ = [
    "CompatibilityReport",
    "ExternalError",
    "InternalError",
    "Result",
    "SameriverError",
    "Session",
    "StateDir",
    "UpgradeRefused",
    "UserError",
    "Verdict",
    "check",
    "udaf",
    "udf",
    "udtf",
]

collecting.resume()
