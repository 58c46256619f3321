// Formulas in TeX from standard input, [{tex, display}], as HTML to standard output. A formula that cannot be read ends
// the program with its text.

// Where Debian has it (libjs-katex).
const katex = require("/usr/share/javascript/katex/katex.js");

const formulas = JSON.parse(require("fs").readFileSync(0, "utf8"));
const made = formulas.map(({tex, display}) => {
  try {
    return katex.renderToString(tex, {displayMode: display, output: "html", strict: "ignore", throwOnError: true});
  } catch (error) {
    console.error(`${error.message}\nin: ${tex}`);
    process.exit(1);
  }
});
process.stdout.write(JSON.stringify(made));
