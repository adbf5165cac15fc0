// speedscope_schema.js MODULES FILE: the file is what speedscope's schema wants.
const [, , modules, file] = process.argv;
const fs = require("fs");
const Ajv = require(modules + "/ajv");
const schema = modules + "/speedscope/dist/release/file-format-schema.json";
const valid = new Ajv({ strict: false }).compile(JSON.parse(fs.readFileSync(schema)));
if (!valid(JSON.parse(fs.readFileSync(file)))) {
	console.log(valid.errors);
	process.exit(1);
}
