import type { Written } from "../written.ts";

/** The administration, and the rules and entries that it changes at run time. */
export const ADMIN: readonly Written[] = [
  {
    name: "a token that only reads may write",
    file: "src/admin/admin.ts",
    find: 'if (writes && caller.role === "read") {',
    replace: 'if (!writes && caller.role === "read") {',
    tests: ["test/admin/authorize"],
  },
  {
    name: "tokens are compared by the last byte of their digests",
    file: "src/admin/authorize.ts",
    find: "difference |= byte ^ other[i]!",
    replace: "difference = byte ^ other[i]!",
    tests: ["test/admin/authorize"],
  },
  {
    name: "a refused address asks Redis with each guess",
    file: "src/admin/authorize.ts",
    find: "setRecent(refusedUntilMs, address, askedAtMs + retryAfterMs, MAX_KNOWN);",
    replace: "",
    tests: ["test/admin/authorize"],
  },
  {
    name: "a document needs no version that it replaces",
    file: "src/admin/routes/rules.ts",
    find: "if (based === undefined && !dryRun) {",
    replace: "if (based === undefined && dryRun) {",
    tests: ["test/admin/rules"],
  },
  {
    name: "a number of a version is given twice after a loss of data",
    file: "src/admin/routes/publish.ts",
    find: "known: call.gateway.enforced().version",
    replace: "known: 0",
    tests: ["test/admin/rules"],
  },
  {
    name: "a write is sent again after an error",
    file: "src/admin/storage/connection.ts",
    find: "retry: { retries: 0 }",
    replace: "retry: { retries: 1 }",
    tests: ["test/admin/store-errors"],
  },
  {
    name: "a lost answer says that nothing has happened",
    file: "src/admin/refusal.ts",
    find: 'isNotDone ? "not-done" : "unknown"',
    replace: '"not-done"',
    tests: ["test/admin/store-errors"],
  },
  {
    name: "an older copy of the live rules is put into force",
    file: "src/live/refresh.ts",
    find: "if (state.revision > known.revision) {",
    replace: "if (state.revision !== known.revision) {",
    tests: ["test/live/refresh"],
  },
  {
    name: "every request asks for live rules",
    file: "src/live/refresh.ts",
    find: "if (nowMs - askedAtMs < refreshMs) {",
    replace: "if (nowMs - askedAtMs < 0) {",
    tests: ["test/live/refresh"],
  },
  {
    name: "requests wait for live rules beyond the timeout",
    file: "src/live/refresh.ts",
    find: "const leftMs = askedAtMs + timeoutMs - nowMs;",
    replace: "const leftMs = timeoutMs;",
    tests: ["test/live/refresh"],
  },
  {
    name: "an entry is checked against the rules of before",
    file: "src/admin/routes/entries.ts",
    find: "    await refresh(call);\n    const answer",
    replace: "    const answer",
    tests: ["test/live/entries-after-a-change"],
  },
  {
    name: "live states: an answer on its way is an older copy",
    file: "src/live/refresh.ts",
    find: "failureOf(state, before)",
    replace: "failureOf(state, known)",
    tests: ["test/live/refresh"],
  },
];
