import type { Written } from "../written.ts";

/** The command line. */
export const COMMAND_LINE: readonly Written[] = [
  {
    name: "the command line follows a redirect with its token",
    file: "src/node/cli/client.ts",
    find: 'redirect: "manual"',
    replace: 'redirect: "follow"',
    tests: ["test/cli/token"],
  },
  {
    name: "a token that a server repeats is printed",
    file: "src/node/cli/client.ts",
    find: 'return text.replaceAll(token, "(token)").replaceAll(inJson, "(token)");',
    replace: "return inJson === token ? text : text;",
    tests: ["test/cli/token"],
  },
  {
    name: "a server's control characters reach the terminal",
    file: "src/node/cli/report.ts",
    find: "lines.map(escape)",
    replace: "lines",
    tests: ["test/cli/hostile"],
  },
  {
    name: "a table's control characters reach the terminal",
    file: "src/node/cli/output/table.ts",
    find: 'escape(String(cell ?? "-"))',
    replace: 'escape("") + String(cell ?? "-")',
    tests: ["test/cli/hostile"],
  },
  {
    name: "the command line reads an answer without an end",
    file: "src/node/read-limited.ts",
    find: "bytes += chunk.byteLength;",
    replace: "bytes = chunk.byteLength;",
    tests: ["test/cli/hostile"],
  },
  {
    name: "a push names no version that it is based on",
    file: "src/node/cli/commands/publishing.ts",
    find: '{ method: "PUT", path, body, ifMatch }',
    replace: '{ method: "PUT", path, body, ...(ifMatch < 0 && { ifMatch }) }',
    tests: ["test/cli/publishing"],
  },
  {
    name: "a dry run publishes",
    file: "src/node/cli/commands/publishing.ts",
    find: '...(options.dryRun ? ["dry-run"] : [])',
    replace: '...(options.dryRun ? ["dry"] : [])',
    tests: ["test/cli/publishing"],
  },
  {
    name: "a summary of the audit leaves out the changes that were not kept",
    file: "src/node/cli/commands/audit.ts",
    find: "others.length + omitted",
    replace: "others.length + 0 * omitted",
    tests: ["test/cli/overrides"],
  },
  {
    name: "a fault's column counts from 0",
    file: "src/node/cli/check/place.ts",
    find: 'column: offset - before.lastIndexOf("\\n")',
    replace: 'column: offset - before.lastIndexOf("\\n") - 1',
    tests: ["test/cli/check"],
  },
  {
    name: "variables of environments are not checked",
    file: "src/node/cli/check/check-text.ts",
    find: '[["vars", vars] as const, ...named]',
    replace: '[["vars", vars] as const, ...named.slice(0, 0)]',
    tests: ["test/cli/check"],
  },
  {
    name: "a name that stands twice is no fault",
    file: "src/node/cli/check/parse-json.ts",
    find: "if (placed.children.has(name))",
    replace: "if (placed.children.has(name) && node.offset < 0)",
    tests: ["test/cli/check"],
  },
];
