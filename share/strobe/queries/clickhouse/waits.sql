-- Which threads made others wait: the thread and function that waited, the kind of wait, and the waker. Needs data of
-- `push --wall` or `export parquet --wall`. woken_by: the waker's stack, outermost function first.
SELECT host, service, comm AS waits, waits_in, kind, waker, woken_by, sum(w) AS ns, sum(n) AS times
FROM (SELECT host, service, comm, stack, sum(weight) AS w, count() AS n FROM samples FINAL
	WHERE run GLOBAL IN (SELECT run FROM runs WHERE host LIKE '%' AND service LIKE '%')
	GROUP BY event, host, service, comm, stack HAVING event LIKE 'wall%') AS a
ALL INNER JOIN (
	SELECT stack, fs[woken + 1] AS kind, replaceOne(fs[woken], '[woken by] ', '') AS waker,
		arrayStringConcat(arraySlice(fs, 1, woken - 1), ';') AS woken_by,
		arrayFirst((f, k, i) -> i > woken + 1 AND k IN ('user', 'jit', 'unknown'),
			fs, ks, arrayEnumerate(fs)) AS waits_in
	FROM (
		SELECT stack, arrayMap(x -> x.2, arraySort(x -> x.1, groupArray((place, function)))) AS fs,
			arrayMap(x -> x.2, arraySort(x -> x.1, groupArray((place, kind)))) AS ks,
			arrayFirstIndex(x -> (x LIKE '[woken by] %')
				OR (x IN ('[interrupt]', '[wakeup not seen]', '[not woken yet]')), fs) AS woken
		FROM (SELECT stack, frame, place FROM stacks FINAL
			ARRAY JOIN frames AS frame, arrayEnumerate(frames) AS place) AS b
		ALL INNER JOIN (SELECT frame, function, kind FROM frames FINAL) AS c USING frame
		GROUP BY stack)
	WHERE woken > 0) AS d USING stack
GROUP BY host, service, comm, waits_in, kind, waker, woken_by
ORDER BY ns DESC, host, service, waits, waits_in, kind, waker, woken_by
