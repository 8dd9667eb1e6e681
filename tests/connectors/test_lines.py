"""Lines of text, found many bytes at a time."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sameriver.connectors.formats.json_cells import lines

PARTS = st.lists(
    st.sampled_from([b"\n", b"\r\n", b"\r", b"a", b"b" * 31, b"c" * 32, b"d" * 65, "é".encode()]),
    max_size=30,
)


@settings(max_examples=300, deadline=None)
@given(PARTS.map(b"".join))
def test_every_line_that_is_not_blank(data: bytes) -> None:
    cells, spots, ends = lines(data)
    expected, begin = [], 0
    for number, line in enumerate(data.split(b"\n")):
        text = line.removesuffix(b"\r")
        if text:
            expected.append((number, begin, text.decode()))
        begin += len(line) + 1
    found = [(*spot, cells.text(row)) for row, spot in enumerate(spots.tolist())]
    assert found == expected
    assert ends == data.count(b"\n")
