// engine.mjs ENGINE MODULES DIR QUERY...: print the rows of queries (files) over
// DIR/{runs,samples,stacks,frames}*.parquet, a line each, columns separated by '|'. ENGINE: duckdb, clickhouse (chdb),
// hyparquet. QUERY "sums" prints the same as sums.py; hyparquet has no other query.
import fs from "fs";
import { createRequire } from "module";

const [, , engine, modules, dir, ...queries] = process.argv;
const require = createRequire(modules + "/");
const tables = ["runs", "samples", "stacks", "frames"];
const share = process.env.STROBE_SOURCE + "/share/strobe/queries/";

const engines = {
	async duckdb() {
		const { DuckDBInstance } = require("@duckdb/node-api");
		const c = await (await DuckDBInstance.create(":memory:", { threads: "2" })).connect();
		const views = fs.readFileSync(share + "duckdb/tables.sql", "utf8").replaceAll("'profiles/", `'${dir}/`);
		for (const v of views.replace(/^--.*$/gm, "").split(";").filter((x) => x.trim())) await c.run(v);
		return async (sql) => (await c.runAndReadAll(sql)).getRows();
	},
	async clickhouse() {
		const { Session } = require("chdb");
		const s = new Session();
		const ddl = fs.readFileSync(share + "clickhouse/tables.sql", "utf8").replace(/^--.*$/gm, "");
		s.query("CREATE DATABASE p; USE p;");
		s.query(ddl);
		for (const t of tables)
			s.query(`INSERT INTO p.${t} SELECT * FROM file('${dir}/${t}-*.parquet', Parquet)`);
		return async (sql) => {
			const text = s.query("USE p; " + sql, "JSONCompactEachRow");
			return text.split("\n").filter((l) => l).map((l) => JSON.parse(l));
		};
	},
};

async function read_rows(file) {
	const { parquetReadObjects, asyncBufferFromFile } = await import(modules + "/hyparquet/src/node.js");
	const { compressors } = await import(modules + "/hyparquet-compressors/src/index.js");
	return parquetReadObjects({ file: await asyncBufferFromFile(file), compressors });
}

// What sums.py prints, without a query engine.
async function hyparquet_sums() {
	const t = {};
	for (const name of tables) {
		t[name] = [];
		for (const f of fs.readdirSync(dir).filter((f) => f.startsWith(name + "-")))
			t[name].push(...(await read_rows(dir + "/" + f)));
	}
	const frames = new Map(t.frames.map((f) => [f.frame, f]));
	const stacks = new Map(t.stacks.map((s) => [s.stack, s.frames.map((f) => frames.get(f))]));
	const sums = new Map();
	const add = (k, w) => sums.set(k, (sums.get(k) ?? 0n) + w);
	for (const s of t.samples) {
		const stack = stacks.get(s.stack), own = stack.find((f) => !f.inlined);
		add(`${s.event}|total`, s.weight);
		if (own) add(`${s.event}|self|${own.function}`, s.weight);
		for (const n of new Set(stack.map((f) => f.function + (f.inlined ? " (inlined)" : ""))))
			add(`${s.event}|children|${n}`, s.weight);
	}
	return [...sums].map(([k, w]) => `${k}|${w}`);
}

const unnamed = /\|(0x[0-9a-f]+|0|\[unknown\])\||\|0$/;
async function sums(run, clickhouse) {
	const name = clickhouse ? "if(inlined, concat(function, ' (inlined)'), function)"
		: "CASE WHEN inlined THEN function || ' (inlined)' ELSE function END";
	const placed = clickhouse
		? "SELECT stack, frame, place FROM stacks FINAL " +
			"ARRAY JOIN frames AS frame, arrayEnumerate(frames) AS place"
		: "SELECT stack, unnest(frames) AS frame, generate_subscripts(frames, 1) AS place FROM stacks";
	const final = clickhouse ? "FINAL" : "", least = clickhouse ? "argMin" : "arg_min";
	const lines = [];
	for (const [e, w] of await run(`SELECT event, sum(weight) FROM samples ${final} GROUP BY event`))
		lines.push(`${e}|total|${w}`);
	const both = `WITH p AS (${placed}), n AS (SELECT stack, place, ${name} AS name, inlined FROM p INNER JOIN
		(SELECT * FROM frames ${final}) AS f ON p.frame = f.frame), w AS (SELECT event, stack, sum(weight) AS w
		FROM samples ${final} GROUP BY event, stack), `;
	for (const [kind, of] of [
		["self", `SELECT stack, ${least}(name, place) AS name FROM n WHERE NOT inlined GROUP BY stack`],
		["children", "SELECT DISTINCT stack, name FROM n"]])
		for (const [e, n, w] of await run(`${both} o AS (${of}) SELECT event, name, sum(w) FROM w INNER JOIN o
			ON w.stack = o.stack GROUP BY event, name`))
			lines.push(`${e}|${kind}|${n}|${w}`);
	return lines;
}

const run = engine === "hyparquet" ? null : await engines[engine]();
for (const q of queries) {
	let lines;
	if (q === "sums")
		lines = (run ? await sums(run, engine === "clickhouse") : await hyparquet_sums())
			.filter((l) => !unnamed.test(l)).sort();
	else lines = (await run(fs.readFileSync(q, "utf8"))).map((r) => r.join("|"));
	fs.writeSync(1, lines.map((l) => l + "\n").join(""));
}
process.exit(0);
