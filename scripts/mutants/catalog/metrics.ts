import type { Written } from "../written.ts";

const RECORDER = { file: "src/metrics/recorder.ts", tests: ["test/metrics/recorder"] };
const SKETCH = { file: "src/metrics/sketch.ts", tests: ["test/metrics/sketch"] };
const TALLY = { file: "src/metrics/tally.ts", tests: ["test/metrics/requests"] };
const DECISION = { file: "src/metrics/count-decision.ts", tests: ["test/metrics/requests"] };
const TRACE = { file: "src/metrics/trace.ts", tests: ["test/metrics/trace"] };
const WHAT_IF = { file: "src/metrics/what-if.ts", tests: ["test/metrics/what-if"] };
const TEXT = { file: "src/metrics/open-metrics.ts", tests: ["test/metrics/open-metrics"] };

/** What becomes of requests, counted. */
export const METRICS: readonly Written[] = [
  {
    ...RECORDER,
    name: "isolates flush with every request",
    find: "return nowMs >= dueAtMs;",
    replace: "return true;",
  },
  {
    ...RECORDER,
    name: "a flush that is under way is due again",
    find: "dueAtMs = now() + flushMs;",
    replace: "dueAtMs ??= now() + flushMs;",
  },
  {
    ...RECORDER,
    name: "a batch whose answer is lost is dropped",
    find: "await evaluate(ADD_METRICS, at, [number, ...args]);\n      // Another flush may have sent it, too, and gone on: Redis takes it once.\n      if (pending[0] === batch) pending.shift();",
    replace:
      "if (pending[0] === batch) pending.shift();\n      await evaluate(ADD_METRICS, at, [number, ...args]);",
  },
  {
    ...RECORDER,
    name: "two flushes both write what one of them gathered",
    find: "if (gathered[0] !== next) continue;",
    replace: "",
  },
  {
    ...RECORDER,
    name: "batches of an isolate have no numbers of their own",
    find: "number: ++last",
    replace: "number: (last = Date.now())",
    tests: ["test/metrics/recorder"],
  },
  {
    ...RECORDER,
    name: "counts that are given up are not counted as lost",
    find: "lost += requests;",
    replace: "lost += 0;",
  },
  {
    ...TALLY,
    name: "what a tally counts after a flush is never written",
    find: "      isEmpty = true;\n",
    replace: "",
    tests: ["test/metrics/recorder"],
  },
  {
    file: "src/features/telling/tell-decision.ts",
    tests: ["test/limiter/on-decision"],
    name: "a listener that fails is reported each time",
    find: "    hasFailed = true;\n",
    replace: "",
  },
  {
    ...SKETCH,
    name: "a partition that takes the place of another begins at one",
    find: "put(least, hash, policy, identity, counts[least]!)",
    replace: "put(least, hash, policy, identity, 0)",
  },
  {
    ...SKETCH,
    name: "the sketch tells counts that may be too high",
    find: "count: counts[i]! - errors[i]!,",
    replace: "count: counts[i]!,",
  },
  {
    ...SKETCH,
    name: "any partition makes room for a new one",
    find: "if (counts[i]! < counts[least]!) least = i;",
    replace: "least = i;",
  },
  {
    ...SKETCH,
    name: "partitions of two policies are one",
    find: " && policies[i] === policy",
    replace: "",
  },
  {
    ...TALLY,
    name: "a denial is counted under the first rule that covers it",
    find: "denying === undefined ? undefined : ruleOfPolicy.get(denying)",
    replace: "undefined as number | undefined",
  },
  {
    ...TALLY,
    name: "a utilization at a bound is counted above it",
    find: "used > UTILIZATION_BOUNDS[bucket]!",
    replace: "used >= UTILIZATION_BOUNDS[bucket]!",
  },
  {
    ...DECISION,
    name: "policies in shadow are not counted",
    find: "if (shadow) tally.evaluations(shadow);",
    replace: "",
  },
  {
    ...DECISION,
    name: "who is denied is near the limit, too",
    find: "} else if (identities && limit",
    replace: "}\n    if (identities && limit",
    tests: ["test/metrics/api"],
  },
  {
    ...TEXT,
    name: "labels are not escaped",
    find: 'return text.replace(/[\\\\"\\n]/g, (character) => ESCAPES[character]!);',
    replace: "return text || String(ESCAPES);",
  },
  {
    ...TEXT,
    name: "buckets do not add up",
    find: "count += buckets[i]!;",
    replace: "count = buckets[i]!;",
  },
  {
    file: "src/metrics/partition-name.ts",
    tests: ["test/metrics/api"],
    name: "addresses in metrics are readable",
    find: "return kind ? kind + (await hash(part.slice(kind.length))).slice(0, 22) : part;",
    replace: 'return kind ? part : part + (hash.length > 9 ? "" : "");',
  },
  {
    file: "src/gateway/config/open-recorder.ts",
    tests: ["test/metrics/requests"],
    name: "gateways count what nobody can read",
    find: 'const isOn = metrics === undefined ? hasReaders : metrics === "on";',
    replace: 'const isOn = metrics === undefined ? hasReaders || true : metrics === "on";',
  },
  {
    ...TRACE,
    name: "clients can tell whether they are in the sample",
    find: "const hash = createKeyedHash(secret);",
    replace: 'const hash = createKeyedHash("");',
  },
  {
    ...TRACE,
    name: "single requests are dropped where there are too many",
    find: "if (sampleClass < level) return;",
    replace: "if (events >= MAX_EVENTS) return;",
  },
  {
    ...TRACE,
    name: "an isolate does not say which partitions it dropped",
    find: "const part = { level, chunks",
    replace: "const part = { level: 0, chunks",
  },
  {
    ...TRACE,
    name: "requests that another policy denied are replayed as taken",
    find: "const isDenied = isDeniedByOthers(outcome, policy);",
    replace: "const isDenied = false;",
    tests: ["test/metrics/what-if-api"],
  },
  {
    file: "src/metrics/trace-reader.ts",
    tests: ["test/metrics/trace"],
    name: "requests of one millisecond are in the order in which isolates wrote",
    find: " || Number(b.hasRoom) - Number(a.hasRoom)",
    replace: "",
  },
  {
    file: "src/metrics/trace-reader.ts",
    tests: ["test/metrics/trace"],
    name: "partitions that an isolate dropped are read from the others",
    find: "if (Number(sampleClass) < level) continue;",
    replace: "",
  },
  {
    file: "src/admin/routes/partition-history.ts",
    tests: ["test/metrics/partition-history"],
    name: "the digest of an address passes for an address",
    find: "if ((await nameOf(name)) !== name) return [{ partition: name }];",
    replace: "",
  },
  {
    file: "src/admin/routes/partition-history.ts",
    tests: ["test/metrics/partition-history"],
    name: "what one policy counts of a partition is told of another",
    find: "row: rows.find((each) => each.policy === policy),",
    replace: "row: rows[0],",
  },
  {
    ...WHAT_IF,
    name: "a what-if names partitions for which nothing changes",
    find: "replayed.filter(({ isAffected }) => isAffected)",
    replace: "replayed.filter(({ isAffected }) => isAffected || !isAffected)",
    tests: ["test/metrics/what-if-api"],
  },
  {
    file: "src/metrics/estimate.ts",
    tests: ["test/metrics/what-if.test"],
    name: "the interval is that of a sample of single requests",
    find: "squares += value * value;",
    replace: "squares += Math.abs(value);",
  },
  {
    ...WHAT_IF,
    name: "clients with the numbers of a plan are replayed with those of the policy",
    find: "limits.size === 1 && limits.has(limit)",
    replace: "limits.size === 1",
  },
  {
    file: "src/gateway/administration/edit-policy.ts",
    tests: ["test/metrics/what-if-api"],
    name: "policies that count denials are replayed as if they counted requests",
    find: 'role !== "denials"',
    replace: "true",
  },
];
