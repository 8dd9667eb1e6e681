from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sameriver.common.errors import UserError, render
from sameriver.sql import parse_script
from sameriver.sql.words import RESERVED


def failure(sql: str) -> UserError:
    with pytest.raises(UserError) as caught:
        parse_script(sql)
    return caught.value


@pytest.mark.parametrize(
    ("sql", "message", "way_out"),
    [
        ("SELECT a b ^c^ FROM t", "unexpected 'c'", "comma"),
        ("SELECT a, ^FROM^ t", "expected an expression", "Remove the comma"),
        ("SELECT (a ^FROM^ t", "',' or ')'", "line 2, column 8 is not closed"),
        ("SELECT f(a, b ^FROM^ t", "',' or ')'", "line 2, column 9"),
        ("SELECT a^)^ FROM t", "unexpected ')'", "Remove it"),
        ("SELECT a FORM ^t^", "unexpected 't'", "Did you mean 'FROM'"),
        ("^SELCT^ a FROM t", "expected a statement", "Did you mean 'SELECT'"),
        ("SELECT a FROM t WHRE ^b^ > 1", "unexpected 'b'", "Did you mean 'WHERE'"),
        ("SELECT a FROM t WHERE a ^==^ 1", "unexpected '=='", "Write '='"),
        ("SELECT a FROM t WHERE a ^!=^ 1", "unexpected '!='", "Write '<>'"),
        ("SELECT a^::^INT FROM t", "unexpected '::'", "CAST"),
        ('SELECT ^"a b"^ FROM t', "double quotes", "backquotes"),
        ("SELECT 'it\\'s^' FROM t^", "a string is not closed", "doubled"),
        ("SELECT a FROM t LIMIT 5^,^ 10", "unexpected ','", "LIMIT 10 OFFSET 5"),
        ("SELECT a FROM t OFFSET 5 ^LIMIT^ 10", "unexpected 'LIMIT'", "LIMIT n OFFSET m"),
        ("SELECT a FROM t FETCH FIRST ^ROW^ ONLY", "the number of rows", ""),
        ("SELECT ^'abc^", "a string is not closed", "single quote"),
        ("SELECT a ^/* abc^", "a comment is not closed", "*/"),
        ("SELECT ^`abc^", "a quoted name is not closed", "backquote"),
        ("SELECT ^``^ FROM t", "a quoted name is empty", "at least one"),
        ("SELECT ^1a^ FROM t", "neither a number nor a name", "`1a`"),
        ("SELECT a^@^b FROM t", "unexpected character '@'", ""),
        ("SELECT ^U&'\\zz'^", "Unicode escape", "hexadecimal"),
        ("SELECT a AS ^value^ FROM t", "'value' is a reserved word", "`value`"),
        ("SELECT a AS ^end^ FROM t", "reserved word", "`end`"),
        ("CREATE TABLE t (^date^ STRING)", "reserved word", "`date`"),
        ("SELECT CASE WHEN a THEN 1 ^FROM^ t", "expected 'WHEN', 'ELSE' or 'END'", "needs an END"),
        ("SELECT CASE WHEN a ^1^ END", "expected 'THEN'", ""),
        ("SELECT a IN ^1^", "expected '('", ""),
        ("SELECT a BETWEEN 1 ^OR^ 2", "expected 'AND'", ""),
        ("SELECT a IS ^5^", "after IS", ""),
        ("SELECT a ^ILIKE^ 'x' FROM t", "unexpected 'ILIKE'", "LOWER"),
        ("SELECT a ^RLIKE^ 'x' FROM t", "unexpected 'RLIKE'", "REGEXP"),
        ("SELECT a FROM t ^MINUS^ SELECT b FROM u", "unexpected 'MINUS'", "EXCEPT"),
        ("SELECT a FROM t GROUP ^a^", "expected 'BY'", ""),
        ("SELECT a FROM t GROUP BY ^ALL^", "unexpected 'ALL'", "Name the columns"),
        ("SELECT a FROM t ORDER BY a ^UNION^ SELECT 1", "unexpected 'UNION'", "parentheses"),
        ("SELECT a FROM t JOIN u ^WHERE^ a", "expected ON or USING", "CROSS JOIN"),
        ("SELECT a FROM t LEFT ^SEMI^ JOIN u ON TRUE", "expected 'JOIN'", ""),
        ("SELECT a FROM ^VALUES^ (1)", "expected a table", "parentheses"),
        ("SELECT 1 ^WHERE^ TRUE", "expected ',' or FROM", ""),
        ("SELECT a FROM t\n^SELECT^ b", "end of the statement", "';'"),
        ("SELECT INTERVAL 1.5 ^SECOND^", "a whole number", "INTERVAL '1.5' SECOND"),
        ("SELECT INTERVAL '1' DAY TO ^MONTH^", "HOUR or MINUTE or SECOND", ""),
        ("SELECT EXTRACT(^DAYS^ FROM a)", "a unit of time", "Write DAY"),
        ("SELECT CAST(a ^,^ INT)", "expected 'AS'", ""),
        ("SELECT a FROM t /*+ ^'x'^ */", "the name of a hint", "*/"),
        ("SELECT a FROM TUMBLE(^t^, DESCRIPTOR(ts), INTERVAL '1' DAY)", "TABLE before", "TABLE t"),
        ("SELECT a FROM TUMBLE(TABLE t, ^ts^, INTERVAL '1' DAY)", "DESCRIPTOR", "DESCRIPTOR(ts)"),
        ("WITH x AS (SELECT 1) ^INSERT^ INTO t SELECT 1", "expected a query", "after INSERT INTO"),
        ("INSERT ^t^ SELECT 1", "expected 'INTO'", ""),
        ("INSERT INTO t PARTITION (a^)^ SELECT 1", "the value of 'a'", "PARTITION (a = value)"),
        ("CREATE TABLE t (a INT ^b^ INT)", "',' or ')'", "comma"),
        ("CREATE TABLE t (a INT,^)^", "expected a column name", "Remove the comma"),
        ("CREATE TABLE t (^a^)", "column 'a' has no type", "a STRING"),
        ("CREATE TABLE t (a INT) WITH (^k^ = 'v')", "in single quotes", "Write 'k'"),
        ("CREATE TABLE t (a INT) WITH ('k' = ^1^)", "the value of 'k'", "Write '1'"),
        ("CREATE TABLE t (a INT) WITH ('k' = 'v', ^'k'^ = 'w')", "given twice", "Keep one"),
        ("CREATE TABLE t (a INT) WITH ('k' = 'v' ^'l'^ = 'w')", "',' or ')'", "comma"),
        ("CREATE TABLE t (a INT, WATERMARK ^a^ AS a)", "expected 'FOR'", ""),
        ("CREATE TABLE t LIKE u (INCLUDING ALL^,^ EXCLUDING OPTIONS)", "unexpected ','", "commas"),
        ("CREATE TABLE t LIKE u (OVERWRITING ^ALL^)", "OVERWRITING ALL", "INCLUDING ALL"),
        ("CREATE VIEW v ^SELECT^ 1", "expected 'AS'", ""),
        ("CREATE ^TEMP^ TABLE t (a INT)", "expected TABLE", "TEMPORARY"),
        (
            "EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT 1;^^",
            "INSERT or END",
            "closed with END",
        ),
        (
            "EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT 1 ^END^",
            "expected ';'",
            "ends with ';'",
        ),
        ("EXECUTE STATEMENT SET BEGIN ^SELECT^ 1; END", "INSERT or END", ""),
        ("SET 'a' ^'b'^", "expected '='", ""),
        ("SET 'a' = ^;^", "a value", ""),
        ("SHOW ^THINGS^", "expected TABLES", ""),
        ("SELECT a FROM^^", "end of the script; expected a table name", ""),
    ],
)
def test_syntax_error_points_at_the_slip_and_names_a_way_out(
    sql: str, message: str, way_out: str
) -> None:
    before, marked, _ = sql.split("^")
    text = sql.replace("^", "")
    error = failure("SET 'x' = 'y';\n" + text)
    assert error.code == "SYNTAX"
    assert message in error.message
    assert way_out in error.hint
    assert error.position is not None
    lines = before.split("\n")
    place = (error.position.line, error.position.column, error.position.length)
    assert place == (1 + len(lines), len(lines[-1]) + 1, max(1, len(marked)))


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("CREATE TABLE t (a INT PRIMARY KEY)", "PRIMARY_KEY_ENFORCED"),
        ("CREATE TABLE t (a INT, PRIMARY KEY (a) ENFORCED)", "PRIMARY_KEY_ENFORCED"),
        ("CREATE TABLE t (a INT, UNIQUE (a) NOT ENFORCED)", "UNSUPPORTED"),
        ("CREATE TABLE t (a INT) DISTRIBUTED BY (a)", "UNSUPPORTED"),
        ("CREATE OR REPLACE TABLE t AS SELECT 1", "UNSUPPORTED"),
        ("ALTER TABLE t RENAME TO u", "UNSUPPORTED"),
        ("DELETE FROM t", "UNSUPPORTED"),
        ("SELECT a FROM t TABLESAMPLE BERNOULLI (10)", "UNSUPPORTED"),
        ("SELECT a FROM t QUALIFY TRUE", "UNSUPPORTED"),
        ("WITH RECURSIVE x AS (SELECT 1) SELECT 1", "UNSUPPORTED"),
        ("SELECT CAST(a AS TIMESTAMP WITH TIME ZONE)", "UNSUPPORTED"),
        ("SELECT DATE '2026/01/01'", "BAD_LITERAL"),
        ("SELECT TIMESTAMP '2026-01-01T00:00:00'", "BAD_LITERAL"),
        ("SELECT a FROM TUMBLE(TABLE t, DESCRIPTOR(ts))", "BAD_WINDOW"),
        ("SELECT a FROM TUMBLE(TABLE t, DESCRIPTOR(ts), SIZ => INTERVAL '1' DAY)", "BAD_WINDOW"),
        (
            "SELECT a FROM TUMBLE(TABLE t PARTITION BY a, DESCRIPTOR(ts), INTERVAL '1' DAY)",
            "BAD_WINDOW",
        ),
        ("SELECT a FROM TUMBLE(TABLE t, DESCRIPTOR(s), 1, 2, 3)", "BAD_WINDOW"),
        ("SELECT a FROM SESSION(DATA => TABLE t, DATA => TABLE u)", "BAD_WINDOW"),
    ],
)
def test_what_is_wrong_or_unsupported_has_a_code_a_place_and_a_way_out(sql: str, code: str) -> None:
    error = failure(sql)
    assert error.code == code
    assert error.position is not None
    assert error.hint


def test_reserved_words_need_backquotes() -> None:
    for word in sorted(RESERVED):
        assert f"`{word}`" in failure(f"SELECT a AS {word} FROM t").hint
        parse_script(f"SELECT t.`{word}` AS `{word}` FROM `{word}` AS `{word}`")


@pytest.mark.parametrize("word", ["name", "type", "data", "key", "level", "state", "source", "rn"])
def test_other_words_are_names(word: str) -> None:
    parse_script(f"SELECT {word} AS {word}, t.{word} {word} FROM {word}")


PIECES = """
    SELECT FROM WHERE GROUP BY a b t 1 'x' `q` ( ) , ; . * = <> + - || CASE WHEN THEN ELSE END AND
    NOT IN BETWEEN IS NULL INTERVAL DAY DATE CAST AS INT ROW < > [ ] OVER ORDER JOIN ON CREATE TABLE
    VIEW INSERT INTO VALUES SET EXECUTE STATEMENT BEGIN /*+ */ => DESCRIPTOR TUMBLE UNION ALL LIMIT
    WITH LIKE PRIMARY KEY ENFORCED WATERMARK FOR " == 1a ' MATCH_RECOGNIZE PATTERN
""".split()  # noqa: SIM905


def test_deep_nesting_is_an_error_with_a_place() -> None:
    error = failure("SELECT " + "(" * 5000 + "1" + ")" * 5000)
    assert "nested too deeply" in error.message
    assert error.position is not None


def shown(script: str) -> str:
    """The error as a person sees it; empty if the script parses."""
    try:
        parse_script(script)
    except UserError as error:
        return render(error, script)
    return ""


@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_any_soup_of_tokens_parses_or_gives_a_placed_error(pieces: list[str]) -> None:
    text = shown(" ".join(pieces))
    assert not text or "--> script:" in text


@given(st.text(max_size=20))
def test_any_text_parses_or_gives_a_placed_error(text: str) -> None:
    found = shown("SELECT " + text)
    assert not found or "--> script:" in found
