-- Cost per service: CPU seconds, the average number of CPUs while its hosts recorded, and the price. Only clock events
-- have seconds. Change the price of one CPU for an hour, here 0.04.
WITH spans AS (SELECT service, sum(end_ns - start_ns) / 1e9 AS seconds FROM runs GROUP BY service)
SELECT service, count(DISTINCT host) AS hosts, count(*) AS samples, sum(weight)::BIGINT AS weight,
	round(sum(weight) / 1e9, 3) AS cpu_seconds,
	round(CASE WHEN any_value(seconds) > 0 THEN sum(weight) / 1e9 / any_value(seconds) ELSE 0 END, 3) AS cpus,
	round(sum(weight) / 1e9 / 3600 * 0.04, 6) AS cost
FROM samples JOIN spans USING (service)
WHERE event LIKE 'cpu-clock%' OR event LIKE 'task-clock%'
GROUP BY service ORDER BY weight DESC, service
