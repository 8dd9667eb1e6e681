"""Descriptions of jobs as JSON and back."""

from __future__ import annotations

from collections.abc import Mapping

from sameriver.common.errors import UserError
from sameriver.common.plain import from_plain, to_plain
from sameriver.compat.description import VERSION, JobDescription


def to_json(description: JobDescription) -> dict[str, object]:
    """The description as JSON data, with the version of its form."""
    return {"version": VERSION, **to_plain(description)}


def from_json(data: Mapping[str, object]) -> JobDescription:
    """The description that ``to_json`` wrote.

    Raises:
        UserError: DESCRIPTION_VERSION if a newer version wrote it; BAD_DESCRIPTION.
    """
    version = data.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise UserError(
            "DESCRIPTION_VERSION",
            f"the job is described in version '{version}', this sameriver reads up to {VERSION}",
            hint="Use the version of sameriver that wrote it, or a later one.",
        )
    try:
        return from_plain(JobDescription, {k: v for k, v in data.items() if k != "version"})
    except TypeError as error:
        raise UserError(
            "BAD_DESCRIPTION",
            f"the description of the job can't be read: {error}",
            hint="It is written by sameriver; restore the file as it was.",
        ) from error
