-- Cost per service: processor seconds, and how many processors that is on average while its hosts recorded. Only clock
-- events have seconds; of others `weight` is comparable.
WITH spans AS (SELECT service, sum(end_ns - start_ns) / 1e9 AS seconds FROM (SELECT * FROM runs FINAL) GROUP BY service)
SELECT service, event, uniqExact(host) AS hosts, count() AS samples, sum(s.weight) AS weight,
	round(sum(s.weight) / 1e9, 3) AS cpu_seconds, round(sum(s.weight) / 1e9 / any(seconds), 3) AS cpus
FROM (SELECT * FROM samples FINAL) AS s INNER JOIN spans USING (service)
GROUP BY service, event ORDER BY weight DESC, service, event
