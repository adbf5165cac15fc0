-- Top functions by host and service. self: the sampled address is in the function, whatever was inlined there;
-- total: it is anywhere in the stack, recursion counted once.
WITH
	placed AS (SELECT stack, frame, place FROM stacks FINAL ARRAY JOIN frames AS frame, arrayEnumerate(frames) AS place),
	named AS (SELECT stack, place, function, inlined FROM placed INNER JOIN (SELECT * FROM frames FINAL) AS f
		ON placed.frame = f.frame),
	leaf AS (SELECT stack, argMin(function, place) AS own FROM named WHERE NOT inlined GROUP BY stack),
	member AS (SELECT DISTINCT stack, function FROM named),
	weights AS (SELECT host, service, event, stack, sum(weight) AS w FROM samples FINAL
		GROUP BY host, service, event, stack)
SELECT host, service, event, function, sumIf(w, function = own) AS self, sum(w) AS total
FROM weights INNER JOIN member ON weights.stack = member.stack LEFT JOIN leaf ON weights.stack = leaf.stack
GROUP BY host, service, event, function
ORDER BY self DESC, total DESC, host, service, event, function
