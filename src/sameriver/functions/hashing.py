"""MD5, SHA2, ...: lower-case hexadecimal text."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import polars as pl

from sameriver.common.types import char, varchar
from sameriver.functions.distinct import by_distinct
from sameriver.functions.failure import failure
from sameriver.functions.forms import TEXT_OR_BINARY, WHOLE, infer
from sameriver.functions.signature import ScalarFunction

_Algorithm = Callable[[bytes], "hashlib._Hash"]


def _hash(name: str, algorithm: _Algorithm, digits: int) -> ScalarFunction:
    def digest(value: str | bytes) -> str:
        octets = value.encode() if isinstance(value, str) else value
        return algorithm(octets).hexdigest()

    return ScalarFunction(
        name=name,
        infer=infer(name, (TEXT_OR_BINARY,), result=char(digits)),
        kernel=lambda _, args: by_distinct(digest, pl.String, args[0]),
    )


_SIZES: dict[int, _Algorithm] = {
    224: hashlib.sha224,
    256: hashlib.sha256,
    384: hashlib.sha384,
    512: hashlib.sha512,
}


def _sha2(value: str | bytes, bits: int) -> str:
    """The hash.

    Raises:
        EvaluationError: BAD_LENGTH.
    """
    algorithm = _SIZES.get(bits)
    if algorithm is None:
        raise failure("BAD_LENGTH", f"SHA2 has 224, 256, 384 or 512 bits, not {bits}")
    return algorithm(value.encode() if isinstance(value, str) else value).hexdigest()


HASHING = [
    _hash("MD5", hashlib.md5, 32),
    _hash("SHA1", hashlib.sha1, 40),
    _hash("SHA224", hashlib.sha224, 56),
    _hash("SHA256", hashlib.sha256, 64),
    _hash("SHA384", hashlib.sha384, 96),
    _hash("SHA512", hashlib.sha512, 128),
    ScalarFunction(
        name="SHA2",
        infer=infer("SHA2", (TEXT_OR_BINARY, WHOLE), result=varchar(128)),
        fallible=True,
        kernel=lambda _, args: by_distinct(_sha2, pl.String, *args),
    ),
]
