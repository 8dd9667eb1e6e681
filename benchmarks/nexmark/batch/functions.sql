-- Functions of Flink that queries call, as DuckDB has them.
CREATE MACRO date_format(t, form) AS
  strftime(t, CASE form WHEN 'HH:mm' THEN '%H:%M' ELSE '%Y-%m-%d' END);
CREATE MACRO split_index(text, mark, place) AS split_part(text, mark, place + 1);
CREATE MACRO char_length(text) AS length(text);
