-- Difference between two builds: for each function of an object, its time and its share of the object's time, by
-- build-id. Change the LIKE to choose the object.
WITH
	placed AS (SELECT stack, frame, place FROM stacks FINAL ARRAY JOIN frames AS frame, arrayEnumerate(frames) AS place),
	leaf AS (SELECT stack, argMin((function, object, build_id), place) AS own
		FROM placed INNER JOIN (SELECT * FROM frames FINAL) AS f ON placed.frame = f.frame
		WHERE NOT inlined GROUP BY stack),
	sums AS (SELECT event, own.2 AS object, own.3 AS build_id, own.1 AS function, sum(weight) AS self
		FROM (SELECT event, stack, weight FROM samples FINAL) AS s INNER JOIN leaf ON s.stack = leaf.stack
		WHERE object LIKE '%' GROUP BY event, object, build_id, function),
	wholes AS (SELECT event, object, build_id, sum(self) AS whole FROM sums GROUP BY event, object, build_id)
SELECT event, object, function, build_id, self, round(100 * self / whole, 2) AS percent
FROM sums INNER JOIN wholes USING (event, object, build_id)
ORDER BY event, object, function, build_id
