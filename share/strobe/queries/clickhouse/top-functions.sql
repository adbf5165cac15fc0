-- Top functions by host and service. self: the sampled address is in the function, also in calls inlined there; total:
-- the function is anywhere in the stack; recursion counts once.
SELECT host, service, event, function, sumIf(w, function = own) AS self, sum(w) AS total
FROM (SELECT host, service, event, stack, sum(weight) AS w FROM samples FINAL
	WHERE run GLOBAL IN (SELECT run FROM runs WHERE host LIKE '%' AND service LIKE '%')
	GROUP BY host, service, event, stack HAVING event LIKE '%') AS a
ALL INNER JOIN (
	SELECT stack, arrayJoin(arrayDistinct(functions)) AS function, own
	FROM (
		SELECT stack, groupArray(function) AS functions,
			argMin(function, if(inlined, 4294967295, place)) AS own
		FROM (SELECT stack, frame, place FROM stacks FINAL
			ARRAY JOIN frames AS frame, arrayEnumerate(frames) AS place) AS b
		ALL INNER JOIN (SELECT frame, function, inlined FROM frames FINAL) AS c USING frame
		GROUP BY stack)) AS d USING stack
GROUP BY host, service, event, function
ORDER BY self DESC, total DESC, host, service, event, function
