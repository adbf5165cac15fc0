-- Which threads made others wait: the thread and function that waited, the kind of wait, and the waker. Needs data of
-- `push --wall` or `export parquet --wall`. woken_by: the waker's stack, outermost function first.
WITH
	placed AS (SELECT stack, unnest(frames) AS frame, generate_subscripts(frames, 1) AS place FROM stacks),
	listed AS (SELECT stack, list(function ORDER BY place) AS fs, list(kind ORDER BY place) AS ks,
			min(place) FILTER (starts_with(function, '[woken by] ')
				OR function IN ('[interrupt]', '[wakeup not seen]', '[not woken yet]')) AS woken
		FROM placed JOIN frames USING (frame) GROUP BY stack),
	told AS (SELECT stack, fs[woken + 1] AS kind, replace(fs[woken], '[woken by] ', '') AS waker,
			array_to_string(fs[1:woken - 1], ';') AS woken_by,
			coalesce(fs[list_min([i FOR i IN range(woken + 2, len(fs) + 1)
				IF ks[i] IN ('user', 'jit', 'unknown')])], '') AS waits_in
		FROM listed WHERE woken > 0)
SELECT host, service, comm AS waits, waits_in, kind, waker, woken_by, sum(weight)::BIGINT AS ns, count(*) AS times
FROM samples JOIN told USING (stack)
WHERE host LIKE '%' AND service LIKE '%' AND event LIKE 'wall%'
GROUP BY ALL
ORDER BY ns DESC, host, service, waits, waits_in, kind, waker, woken_by
