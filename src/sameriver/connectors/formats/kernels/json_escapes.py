"""Writes strings of JSON without their escapes."""

from __future__ import annotations

import numpy as np
from numba import types

from sameriver.common.kernel import helper, kernel
from sameriver.connectors.formats.kernels.json_tokens import ESCAPED
from sameriver.connectors.formats.kernels.types import BYTES, FLAGS, INDEX


@helper
def hexadecimal(data: np.ndarray, at: int) -> int:
    """The number that four hexadecimal digits write."""
    code = 0
    for k in range(at, at + 4):
        byte = data[k]
        code = code * 16 + (byte - 48 if byte <= 57 else (byte | 32) - 87)
    return code


@helper
def put_utf8(code: int, out: np.ndarray, used: int) -> int:
    """Writes one character; gives how many bytes are used then."""
    if code < 0x80:
        out[used] = code
        return used + 1
    if code < 0x800:
        out[used] = 0xC0 | (code >> 6)
        out[used + 1] = 0x80 | (code & 0x3F)
        return used + 2
    if code < 0x10000:
        out[used] = 0xE0 | (code >> 12)
        out[used + 1] = 0x80 | ((code >> 6) & 0x3F)
        out[used + 2] = 0x80 | (code & 0x3F)
        return used + 3
    out[used] = 0xF0 | (code >> 18)
    out[used + 1] = 0x80 | ((code >> 12) & 0x3F)
    out[used + 2] = 0x80 | ((code >> 6) & 0x3F)
    out[used + 3] = 0x80 | (code & 0x3F)
    return used + 4


@helper
def unescape_string(data: np.ndarray, at: int, end: int, out: np.ndarray, used: int) -> int:
    """Writes one string without its escapes; gives how many bytes are used then."""
    while at < end:
        byte = data[at]
        at += 1
        if byte != 92:
            out[used] = byte
            used += 1
            continue
        byte = data[at]
        at += 1
        if byte == 117:
            code = hexadecimal(data, at)
            at += 4
            if 0xD800 <= code < 0xDC00 and at + 6 <= end and data[at] == 92:
                low = hexadecimal(data, at + 2) if data[at + 1] == 117 else 0
                if 0xDC00 <= low < 0xE000:
                    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
                    at += 6
            if 0xD800 <= code < 0xE000:
                code = 0xFFFD
            used = put_utf8(code, out, used)
            continue
        if byte == 110:
            byte = 10
        elif byte == 116:
            byte = 9
        elif byte == 114:
            byte = 13
        elif byte == 98:
            byte = 8
        elif byte == 102:
            byte = 12
        out[used] = byte
        used += 1
    return used


@kernel(types.int64(BYTES, INDEX, INDEX, FLAGS, FLAGS, INDEX, INDEX))
def unescape_strings(
    data: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    kind: np.ndarray,
    out: np.ndarray,
    new_start: np.ndarray,
    new_end: np.ndarray,
) -> int:
    """Writes every escaped string plainly, bounds into ``new_*`` past the end of ``data``."""
    used = 0
    for row in range(start.size):
        if kind[row] == ESCAPED:
            new_start[row] = data.size + used
            used = unescape_string(data, start[row], end[row], out, used)
            new_end[row] = data.size + used
    return used
