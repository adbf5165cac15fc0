-- Top functions by host and service. self: the sampled address is in the function, also in calls inlined there; total:
-- the function is anywhere in the stack; recursion counts once.
WITH
	placed AS (SELECT stack, unnest(frames) AS frame, generate_subscripts(frames, 1) AS place FROM stacks),
	named AS (SELECT stack, place, function, inlined FROM placed JOIN frames USING (frame)),
	leaf AS (SELECT stack, arg_min(function, place) AS own FROM named WHERE NOT inlined GROUP BY stack),
	member AS (SELECT DISTINCT stack, function FROM named),
	weights AS (SELECT host, service, event, stack, sum(weight) AS w FROM samples
		WHERE host LIKE '%' AND service LIKE '%' AND event LIKE '%' GROUP BY ALL)
SELECT host, service, event, function, coalesce(sum(w) FILTER (function = own), 0)::BIGINT AS self,
	sum(w)::BIGINT AS total
FROM weights JOIN member USING (stack) LEFT JOIN leaf USING (stack)
GROUP BY host, service, event, function
ORDER BY self DESC, total DESC, host, service, event, function
