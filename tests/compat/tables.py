"""Tables for scripts of tests."""

from __future__ import annotations

ORDERS = """CREATE TABLE orders (
  order_id BIGINT, customer_id INT, region STRING, product STRING, amount BIGINT, qty INT,
  note STRING, order_time TIMESTAMP(3), at_instant TIMESTAMP_LTZ(3), pt AS PROCTIME(),
  WATERMARK FOR order_time AS order_time - INTERVAL '5' SECOND
) WITH ('connector' = 'datagen');
"""
PAYMENTS = """CREATE TABLE payments (
  pay_id BIGINT, order_id BIGINT, pay_method STRING, paid BIGINT, pay_time TIMESTAMP(3),
  WATERMARK FOR pay_time AS pay_time - INTERVAL '5' SECOND
) WITH ('connector' = 'datagen');
"""
INSTANTS = """CREATE TABLE instants (k STRING, v BIGINT, seen TIMESTAMP_LTZ(3),
  WATERMARK FOR seen AS seen - INTERVAL '5' SECOND) WITH ('connector' = 'datagen');
"""
SINKS = """CREATE TABLE totals (region STRING, total BIGINT) WITH ('connector' = 'print');
CREATE TABLE copies (region STRING, amount BIGINT) WITH ('connector' = 'print');
"""
ACCOUNTS = """CREATE TABLE accounts (id BIGINT, shard INT, balance BIGINT,
  PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'upsert-kafka', 'topic' = 'a',
  'properties.bootstrap.servers' = 'h:9092', 'key.format' = 'json', 'value.format' = 'json');
"""
