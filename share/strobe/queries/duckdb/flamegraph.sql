-- A flame graph: a line per stack, for `strobe flamegraph --from` and `strobe import collapsed`.
WITH
	placed AS (SELECT stack, unnest(frames) AS frame, generate_subscripts(frames, 1) AS place FROM stacks),
	folded AS (SELECT stack, string_agg(replace(function, ';', ':'), ';' ORDER BY place DESC) AS names
		FROM placed JOIN frames USING (frame) GROUP BY stack),
	weights AS (SELECT replace(comm, ';', ':') AS task, stack, sum(weight) AS w FROM samples
		WHERE host LIKE '%' AND service LIKE '%' AND event LIKE '%' AND comm LIKE '%'
			AND event NOT LIKE 'offcpu-time%'
		GROUP BY ALL)
SELECT concat_ws(';', task, names) AS line, sum(w)::BIGINT AS weight
FROM weights LEFT JOIN folded USING (stack)
GROUP BY 1 ORDER BY 1
