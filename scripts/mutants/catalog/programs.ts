import type { Written } from "../written.ts";

const BOUNDS = ["test/doctor/bounds"];
const SILENCE = ["test/doctor/silence"];
const JSON_ANSWERS = ["test/cli/json"];

/** What the doctor and the command line do where they are not fed healthy, default input. */
export const PROGRAMS: readonly Written[] = [
  {
    name: "the doctor waits for a REST API for ever",
    file: "src/node/doctor/gather/connection.ts",
    find: "        signal: AbortSignal.timeout(PATIENCE_MS),\n",
    replace: "",
    tests: SILENCE,
  },
  {
    name: "a gateway that is silent was aborted",
    file: "src/node/doctor/gather/http.ts",
    find: "throw signal.aborted ? signal.reason : error;",
    replace: "throw error;",
    tests: SILENCE,
  },
  {
    name: "the doctor leaves its connection beside a REST API open",
    file: "src/node/doctor/run-doctor.ts",
    find: ".finally(() => other?.close())",
    replace: "",
    tests: BOUNDS,
  },
  {
    name: "the doctor leaves its connection open",
    file: "src/node/doctor/run-doctor.ts",
    find: ".finally(() => main.close())",
    replace: "",
    tests: BOUNDS,
  },
  {
    name: "a Redis of which every tenth answer is late is fast enough",
    file: "src/node/doctor/checks/redis-reach.ts",
    find: "p95! >= timeoutMs",
    replace: "p50! >= timeoutMs",
    tests: BOUNDS,
  },
  {
    name: "a replica may be any number of bytes behind",
    file: "src/node/doctor/checks/replication.ts",
    find: " || behind > MOST_BEHIND",
    replace: "",
    tests: BOUNDS,
  },
  {
    name: "a field Date has no more than its second",
    file: "src/node/doctor/checks/clock.ts",
    find: "latestMs: dateMs + 999",
    replace: "latestMs: dateMs",
    tests: BOUNDS,
  },
  {
    name: "a degraded gateway counts in whatever Redis was looked at",
    file: "src/node/doctor/checks/same-redis.ts",
    find: ' || health?.status === "degraded"',
    replace: "",
    tests: BOUNDS,
  },
  {
    name: "--json leaves out what this program does not know",
    file: "src/node/cli/commands/what-if.ts",
    find: "printJson(raw);",
    replace: "printJson(value);",
    tests: JSON_ANSWERS,
  },
  {
    name: "a rollback to what is deployed goes one version back",
    file: "src/node/cli/commands/publishing.ts",
    find: "...(to && { to: Number(to) })",
    replace: "...(Number(to) > 0 && { to: Number(to) })",
    tests: JSON_ANSWERS,
  },
  {
    name: "what is held is based on what is held",
    file: "src/node/cli/commands/rules.ts",
    find: "const { version } = published.value;",
    replace: "const { version } = value;",
    tests: JSON_ANSWERS,
  },
  {
    name: "a variable is as long as it has characters",
    file: "src/node/cli/check/oversized.ts",
    find: "new TextEncoder().encode(JSON.stringify(vars[name] ?? null)).length",
    replace: "JSON.stringify(vars[name] ?? null).length",
    tests: ["test/cli/oversized"],
  },
];
