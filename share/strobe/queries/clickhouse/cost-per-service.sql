-- Cost per service: CPU seconds, the average number of CPUs while its hosts recorded, and the price. Only clock events
-- have seconds. Change the price of one CPU for an hour, here 0.04.
SELECT service, uniqExact(host) AS hosts, count() AS samples, sum(w) AS weight,
	round(sum(w) / 1e9, 3) AS cpu_seconds,
	round(if(any(seconds) > 0, sum(w) / 1e9 / any(seconds), 0), 3) AS cpus,
	round(sum(w) / 1e9 / 3600 * 0.04, 6) AS cost
FROM (SELECT service, host, weight AS w FROM samples FINAL
	WHERE event LIKE 'cpu-clock%' OR event LIKE 'task-clock%') AS a
ALL INNER JOIN
	(SELECT service, sum(end_ns - start_ns) / 1e9 AS seconds FROM runs FINAL GROUP BY service) AS b USING service
GROUP BY service ORDER BY weight DESC, service
