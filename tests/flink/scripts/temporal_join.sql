CREATE VIEW versions AS SELECT item, rate, ts FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY item ORDER BY ts DESC) AS rn FROM rates
) WHERE rn = 1;
SELECT o.id, o.item, v.rate FROM orders AS o LEFT JOIN versions FOR SYSTEM_TIME AS OF o.ts AS v ON o.item = v.item;
