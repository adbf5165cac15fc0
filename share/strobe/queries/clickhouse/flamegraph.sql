-- A flame graph: a line per stack, as `strobe flamegraph --from` and other programs take it. Change what follows WHERE.
WITH
	placed AS (SELECT stack, frame, place FROM stacks FINAL ARRAY JOIN frames AS frame, arrayEnumerate(frames) AS place),
	folded AS (SELECT stack, arrayStringConcat(arrayMap(x -> x.2, arraySort(x -> -x.1, groupArray((place,
			replaceAll(function, ';', ':'))))), ';') AS line
		FROM placed INNER JOIN (SELECT frame, function FROM frames FINAL) AS f ON placed.frame = f.frame
		GROUP BY stack),
	weights AS (SELECT replaceAll(comm, ';', ':') AS task, stack, sum(weight) AS w FROM samples FINAL
		WHERE host LIKE '%' AND service LIKE '%' AND event NOT LIKE 'offcpu-time%'
		GROUP BY task, stack)
SELECT concat(task, if(line = '', '', ';'), line) AS stack, sum(w) AS weight
FROM weights LEFT JOIN folded ON weights.stack = folded.stack
GROUP BY stack ORDER BY stack
