-- Difference between two builds: for each function of an object, its time and its share of the object's time, by
-- build-id.
WITH
	placed AS (SELECT stack, unnest(frames) AS frame, generate_subscripts(frames, 1) AS place FROM stacks),
	leaf AS (SELECT stack, arg_min({'function': function, 'object': object, 'build_id': build_id}, place) AS own
		FROM placed JOIN frames USING (frame) WHERE NOT inlined GROUP BY stack),
	sums AS (SELECT event, own.object AS object, own.build_id AS build_id, own.function AS function,
			sum(weight)::BIGINT AS self
		FROM samples JOIN leaf USING (stack) WHERE own.object LIKE '%' GROUP BY ALL)
SELECT event, object, function, build_id, self,
	round(100 * self / sum(self) OVER (PARTITION BY event, object, build_id), 2) AS percent
FROM sums
ORDER BY event, object, function, build_id
