-- A flame graph: a line per stack, for `strobe flamegraph --from` and `strobe import collapsed`.
SELECT concat(task, if(names = '', '', ';'), names) AS line, sum(w) AS weight
FROM (
	SELECT replaceAll(comm, ';', ':') AS task, stack, sum(weight) AS w FROM samples FINAL
	WHERE run GLOBAL IN (SELECT run FROM runs WHERE host LIKE '%' AND service LIKE '%')
	GROUP BY event, comm, stack HAVING event LIKE '%' AND comm LIKE '%' AND event NOT LIKE 'offcpu-time%') AS a
ALL LEFT JOIN (
	SELECT stack, arrayStringConcat(
			arrayMap(x -> x.2, arraySort(x -> -toInt64(x.1), groupArray((place, name)))), ';') AS names
	FROM (SELECT stack, frame, place FROM stacks FINAL
		ARRAY JOIN frames AS frame, arrayEnumerate(frames) AS place) AS b
	ALL INNER JOIN (SELECT frame, replaceAll(function, ';', ':') AS name FROM frames FINAL) AS c USING frame
	GROUP BY stack) AS d USING stack
GROUP BY line ORDER BY line
