-- Cost per service: processor seconds, and how many processors that is on average while its hosts recorded. Only clock
-- events have seconds; of others `weight` is comparable.
WITH spans AS (SELECT service, sum(end_ns - start_ns) / 1e9 AS seconds FROM runs GROUP BY service)
SELECT service, event, count(DISTINCT host) AS hosts, count(*) AS samples, sum(weight)::BIGINT AS weight,
	round(sum(weight) / 1e9, 3) AS cpu_seconds, round(sum(weight) / 1e9 / any_value(seconds), 3) AS cpus
FROM samples JOIN spans USING (service)
GROUP BY service, event ORDER BY weight DESC, service, event
