"""MD5, SHA2, ...: lower-case hexadecimal text."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import polars as pl

from sameriver.common.types import char, varchar
from sameriver.functions.distinct import by_distinct
from sameriver.functions.forms import TEXT, WHOLE, infer
from sameriver.functions.signature import ScalarFunction


def _hash(name: str, algorithm: str, digits: int) -> ScalarFunction:
    def digest(value: str) -> str:
        return hashlib.new(algorithm, value.encode()).hexdigest()

    return ScalarFunction(
        name=name,
        infer=infer(name, (TEXT,), result=char(digits)),
        kernel=lambda _, args: by_distinct(digest, pl.String, args[0]),
    )


_SIZES: dict[int, Callable[[bytes], hashlib._Hash]] = {
    224: hashlib.sha224,
    256: hashlib.sha256,
    384: hashlib.sha384,
    512: hashlib.sha512,
}


def _sha2(value: str, bits: int) -> str | None:
    algorithm = _SIZES.get(bits)
    return algorithm(value.encode()).hexdigest() if algorithm else None


HASHING = [
    _hash("MD5", "md5", 32),
    _hash("SHA1", "sha1", 40),
    _hash("SHA224", "sha224", 56),
    _hash("SHA256", "sha256", 64),
    _hash("SHA384", "sha384", 96),
    _hash("SHA512", "sha512", 128),
    ScalarFunction(
        name="SHA2",
        infer=infer("SHA2", (TEXT, WHOLE), result=varchar(128)),
        kernel=lambda _, args: by_distinct(_sha2, pl.String, *args),
    ),
]
