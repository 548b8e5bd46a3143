import type { Written } from "../written.ts";

const ENTRIES = ["test/live/entries-after-a-change"];

/** Live rules and entries that this version cannot enforce as they are. */
export const LIVE_STATES: readonly Written[] = [
  {
    name: "of equal override tables only the first one is left out",
    file: "src/gateway/rules/ruleset.ts",
    find: "const also = told.has(plan) ? [] : others;",
    replace: "const also = told.has(plan) ? others : [];",
    tests: ENTRIES,
  },
  {
    name: "an entry that needs an unknown address takes all others with it",
    file: "src/gateway/live/entries.ts",
    find: "(hasNoAddress && asksForAddress(each))",
    replace: "(hasNoAddress && false)",
    tests: ENTRIES,
  },
  {
    name: "an entry is checked against the rules of before",
    file: "src/admin/routes/entries.ts",
    find: "    await refresh(call);\n    const answer",
    replace: "    const answer",
    tests: ENTRIES,
  },
  {
    name: "a field called __proto__ is passed over",
    file: "src/admin/schemas.ts",
    find: 'name === "__proto__" ? [`${path}.${name}`] :',
    replace: 'name === "__proto__" ? [] :',
    tests: ["test/admin/prototype-names"],
  },
  {
    name: "the oldest kept version takes the place of a broken document",
    file: "src/live/read-history.ts",
    find: ".toSorted((one, other) => other - one);",
    replace: ".toSorted((one, other) => one - other);",
    tests: ["test/live/rollback-of-the-worker"],
  },
  {
    name: "health is ok while other rules than the published ones are in force",
    file: "src/gateway/health.ts",
    find: "&& liveError() !== undefined;",
    replace: "&& liveError() === null;",
    tests: ["test/live/rollback-of-the-worker"],
  },
  {
    name: "live states: a failure is reported once for an isolate's life",
    file: "src/live/refresh.ts",
    find: "    failure = next;",
    replace: "    failure = next ?? failure;",
    tests: ["test/live/refresh"],
  },
  {
    name: "live states: an answer on its way is an older copy",
    file: "src/live/refresh.ts",
    find: "failureOf(state, before)",
    replace: "failureOf(state, known)",
    tests: ["test/live/refresh"],
  },
  {
    name: "live states: entries of another type keep the document out of force",
    file: "src/live/read-state.ts",
    find: "if (/\\bWRONGTYPE\\b/.test((error as Error).message)) return undefined;",
    replace: "",
    tests: ["test/live/states"],
  },
  {
    name: "live states: a planted revision is believed",
    file: "src/live/read-state.ts",
    find: "wholeUpTo((Date.now() + MAX_AHEAD_MS) * 1000, given)",
    replace: "wholeUpTo(Number.MAX_SAFE_INTEGER, given)",
    tests: ["test/live/states"],
  },
  {
    name: "live states: a version without a document means the deployed rules",
    file: "src/gateway/live/enforcement.ts",
    find: "if (version === 0) return deployed;",
    replace: "if (version >= 0) return deployed;",
    tests: ["test/live/states"],
  },
  {
    name: "live states: an entry is put beside rules that it was not checked with",
    file: "src/admin/routes/entries.ts",
    find: "const checkedWith = error === undefined ? published : undefined;",
    replace: "const checkedWith = undefined;",
    tests: ["test/live/entries-after-a-change"],
  },
  {
    name: "live states: entries of another type let everybody in who was blocked",
    file: "src/live/read-state.ts",
    find: "own ?? known.entries",
    replace: "own ?? {}",
    tests: ["test/live/states"],
  },
  {
    name: "live states: a revision that is gone means that nothing is published",
    file: "src/live/read-state.ts",
    find: "if (isGone && (version === null || version === undefined))",
    replace: "if (isGone)",
    tests: ["test/live/states"],
  },
  {
    name: "live states: entries with faults are logged with each change",
    file: "src/gateway/live/enforcement.ts",
    find: "!unused.has(field)",
    replace: "field !== undefined",
    tests: ["test/live/in-force"],
  },
  {
    name: "live states: an entry with faults is logged once for an isolate's life",
    file: "src/gateway/live/enforcement.ts",
    find: "unused = new Set(nextUnused);",
    replace: "unused = new Set([...unused, ...nextUnused]);",
    tests: ["test/live/in-force"],
  },
];
