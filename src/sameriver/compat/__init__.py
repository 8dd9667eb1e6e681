"""What a changed query does to the state of a job: descriptions of jobs, and their comparison."""

from sameriver.compat.compare import compare
from sameriver.compat.describe import describe
from sameriver.compat.description import JobDescription
from sameriver.compat.operators import Rules
from sameriver.compat.report import CompatibilityReport, Verdict

__all__ = ["CompatibilityReport", "JobDescription", "Rules", "Verdict", "compare", "describe"]
