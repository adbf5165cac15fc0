-- Difference between two builds: for each function of an object, its time and its share of the object's time, by
-- build-id.
SELECT event, object, function, build_id, self, round(100 * self / whole, 2) AS percent
FROM (
	SELECT event, object, build_id, function, sum(w) AS self
	FROM (SELECT event, stack, sum(weight) AS w FROM samples FINAL GROUP BY event, stack) AS a
	ALL INNER JOIN (
		SELECT stack, argMin(function, place) AS function, argMin(object, place) AS object,
			argMin(build_id, place) AS build_id
		FROM (SELECT stack, frame, place FROM stacks FINAL
			ARRAY JOIN frames AS frame, arrayEnumerate(frames) AS place) AS b
		ALL INNER JOIN (SELECT frame, function, object, build_id FROM frames FINAL
			WHERE inlined = 0) AS f USING frame
		GROUP BY stack) AS g USING stack
	WHERE object LIKE '%' GROUP BY event, object, build_id, function) AS c
ALL INNER JOIN (
	SELECT event, object, build_id, sum(w) AS whole
	FROM (SELECT event, stack, sum(weight) AS w FROM samples FINAL GROUP BY event, stack) AS d
	ALL INNER JOIN (
		SELECT stack, argMin(object, place) AS object, argMin(build_id, place) AS build_id
		FROM (SELECT stack, frame, place FROM stacks FINAL
			ARRAY JOIN frames AS frame, arrayEnumerate(frames) AS place) AS e
		ALL INNER JOIN (SELECT frame, object, build_id FROM frames FINAL WHERE inlined = 0) AS h USING frame
		GROUP BY stack) AS i USING stack
	GROUP BY event, object, build_id) AS j USING (event, object, build_id)
ORDER BY event, object, function, build_id
