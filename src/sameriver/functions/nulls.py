"""Functions that a bare NULL can't be passed to, as in Flink: they can't tell its type."""

from __future__ import annotations

_NAMES = (
    "+", "-", "*", "/", "%", "||", "LIKE", "ABS", "ACOS", "ASCII", "ASIN", "ATAN", "ATAN2", "BIN",
    "BITMAP_AND", "BITMAP_ANDNOT", "BITMAP_CARDINALITY", "BITMAP_OR", "BITMAP_TO_ARRAY",
    "BITMAP_TO_BYTES", "BITMAP_TO_STRING", "BITMAP_XOR",
    "CEIL", "CHAR_LENGTH", "CHR", "CONCAT", "CONCAT_WS", "CONVERT_TZ", "COS", "COSH", "COT",
    "DATE_FORMAT", "DECODE", "DEGREES", "ENCODE", "EXP", "EXTRACT", "FLOOR", "FROM_BASE64",
    "FROM_UNIXTIME", "GREATEST", "HEX", "IF", "INITCAP", "INSTR", "IS_ALPHA", "IS_DECIMAL",
    "IS_DIGIT", "ITEM", "LEAST", "LEFT",
    "LN", "LOCATE", "LOG", "LOG10", "LOG2", "LOWER", "LPAD", "LTRIM", "MD5", "OVERLAY",
    "PARSE_URL", "POSITION", "POWER", "RADIANS", "REGEXP", "REGEXP_EXTRACT",
    "REGEXP_REPLACE",
    "REPEAT", "REPLACE", "REVERSE", "RIGHT", "ROUND", "ROW", "RPAD", "RTRIM", "SHA1", "SHA2",
    "SHA224", "SHA256", "SHA384", "SHA512", "SIGN", "SIN", "SINH", "SPLIT_INDEX", "SQRT",
    "STR_TO_MAP",
    "SUBSTRING", "TAN", "TANH", "TIMESTAMPADD", "TO_BASE64", "TO_DATE", "TO_TIMESTAMP",
    "TRANSLATE", "TRIM", "TRUNCATE", "UNIX_TIMESTAMP", "UPPER", "SIMILAR TO",
)  # fmt: skip
UNTYPED_NULL_REFUSED = frozenset(_NAMES)
