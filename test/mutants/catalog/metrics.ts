import type { Written } from "../written.ts";

/** Metrics, and the dashboard that shows them. */
export const METRICS: readonly Written[] = [
  {
    name: "a flush takes away a batch that another one has not written",
    file: "src/metrics/recorder.ts",
    find: "if (pending[0] === batch) pending.shift();",
    replace: "pending.shift();",
    tests: ["test/metrics/recorder"],
  },
  {
    name: "a batch whose answer is lost is dropped",
    file: "src/metrics/recorder.ts",
    find: "const written = await evaluate(ADD_METRICS, at, [number, ...args]);",
    replace:
      "pending.shift();\n      const written = await evaluate(ADD_METRICS, at, [number, ...args]);",
    tests: ["test/metrics/recorder"],
  },
  {
    name: "the commands inside a flush are not counted",
    file: "src/metrics/recorder.ts",
    find: "meter.commands(written === 1 ? commands : 1);",
    replace: "",
    tests: ["test/metrics/billed-commands"],
  },
  {
    name: "the commands inside a decision are not counted",
    file: "src/store/redis/counted-redis.ts",
    find: "onCommands(commandsOfDecision(asked, reply));",
    replace: "",
    tests: ["test/metrics/billed-commands", "test/store/script-commands"],
  },
  {
    name: "two flushes both write what one of them gathered",
    file: "src/metrics/recorder.ts",
    find: "if (gathered[0] !== next) continue;",
    replace: "",
    tests: ["test/metrics/recorder"],
  },
  {
    name: "labels are not escaped",
    file: "src/metrics/open-metrics.ts",
    find: 'return text.replace(/[\\\\"\\n]/g, (character) => ESCAPES[character]!);',
    replace: "return text || String(ESCAPES);",
    tests: ["test/metrics/open-metrics"],
  },
  {
    name: "addresses in metrics are readable",
    file: "src/metrics/partition-name.ts",
    find: "return kind ? kind + (await hash(fact.slice(kind.length))).slice(0, 22) : fact;",
    replace: 'return kind ? fact : fact + (hash.length > 9 ? "" : "");',
    tests: ["test/metrics/api"],
  },
  {
    name: "a client without counts has no history",
    file: "src/admin/routes/partition-history.ts",
    find: "return [row ?? { policy, partition, denied: none, near: none }];",
    replace: "return row ? [row] : rows.slice(none.length);",
    tests: ["test/metrics/partition-history"],
  },
  {
    name: "the end of a password is shown",
    file: "src/metrics/key-hint.ts",
    find: "if (/^basic\\s/i.test(value)) continue;",
    replace: "",
    tests: ["test/metrics/key-hint"],
  },
  {
    name: "a table keeps old numbers while it has as many rows",
    file: "packages/dashboard/src/parts/table.tsx",
    find: "}, [rows, filter]);",
    replace: "}, [rows.length, filter]);",
    tests: ["test/dashboard/refresh"],
  },
  {
    name: "a failed refresh empties a card",
    file: "packages/dashboard/src/live/use-answer.ts",
    find: "({ ...(before.key === key && before), key, error })",
    replace: "({ ...(before.key === key && {}), key, error })",
    tests: ["test/dashboard/refresh"],
  },
  {
    name: "numbers of another time range show as those that are asked for",
    file: "packages/dashboard/src/live/use-answer.ts",
    find: "const known = held.key === key ? held : { key };",
    replace: "const known = held;",
    tests: ["test/dashboard/refresh"],
  },
  {
    name: "the sixth rule's denials are in no layer",
    file: "packages/dashboard/src/parts/request-counts.ts",
    find: "const rest = order.slice(MAX_LINES);",
    replace: "const rest = order.slice(MAX_LINES + 1);",
    tests: ["test/dashboard/counts"],
  },
  {
    name: "the form overwrites what somebody else published",
    file: "packages/dashboard/src/rule/limit-form.tsx",
    find: "      body: withLimit(live.document, index, place, limit),\n      ifMatch: live.version,",
    replace:
      "      body: withLimit(live.document, index, place, limit),\n      ifMatch: live.version + 1,",
    tests: ["test/dashboard/changes"],
  },
  {
    name: "a second batch names the partitions again",
    file: "src/metrics/batch.ts",
    find: "start === 0 ? tops : [[], []]",
    replace: "start >= 0 ? tops : [[], []]",
    tests: ["test/metrics/recorder"],
  },
  {
    name: "a second batch that is given up is no loss",
    file: "src/metrics/batch.ts",
    find: "requests: requestsIn(dated.flat()),",
    replace: "requests: start === 0 ? requestsIn(dated.flat()) : 0,",
    tests: ["test/metrics/recorder"],
  },
];
