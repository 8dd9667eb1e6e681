SELECT shelf, SUM(n) AS n, COUNT(*) AS things, MAX(n) AS most FROM stock GROUP BY shelf;
