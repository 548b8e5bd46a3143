import type { Written } from "../written.ts";

const REFRESH = { file: "src/live/refresh.ts", tests: ["test/live/refresh"] };
const SHARE = { file: "src/live/share-state.ts", tests: ["test/live/share-state"] };
const IN_FORCE = ["test/live/in-force"];

/** Rules that change without a deploy. */
export const LIVE: readonly Written[] = [
  {
    ...REFRESH,
    name: "an older copy of the live rules is put into force",
    find: "if (state.revision > known.revision) {",
    replace: "if (state.revision !== known.revision) {",
  },
  {
    ...REFRESH,
    name: "every request asks for live rules",
    find: "if (nowMs - askedAtMs < refreshMs) {",
    replace: "if (nowMs - askedAtMs < 0) {",
  },
  {
    ...REFRESH,
    name: "an isolate that has slept trusts what it knew",
    find: "const isRecent = nowMs - heardAtMs < 2 * refreshMs;",
    replace: "const isRecent = heardAtMs > 0;",
  },
  {
    ...REFRESH,
    name: "a new isolate does not wait for live rules",
    find: "return isRecent ? undefined : withTimeout(timeoutMs, () => asking);",
    replace: "return undefined;",
  },
  {
    ...REFRESH,
    name: "after a failed read, requests wait for the next one",
    find: "return isRecent || !isAsking || leftMs <= 0 ? undefined : room.wait(leftMs);",
    replace: "return isRecent || leftMs <= 0 ? undefined : room.wait(leftMs);",
  },
  {
    ...REFRESH,
    name: "requests wait for live rules beyond the timeout",
    find: "const leftMs = askedAtMs + timeoutMs - nowMs;",
    replace: "const leftMs = timeoutMs;",
  },
  {
    ...SHARE,
    name: "live rules of the cache take the place of newer ones",
    find: "if (found && found.revision >= known.revision) {",
    replace: "if (found) {",
  },
  {
    ...SHARE,
    name: "live rules are not left in the cache",
    find: "(async () => cache.put(key, text, seconds))().catch(() => {});",
    replace: "void seconds;",
  },
  {
    ...SHARE,
    name: "live rules of any size are left in the cache",
    find: "if (exceedsBytes(text, MAX_SHARED_BYTES)) return state;",
    replace: "",
  },
  {
    name: "a document is measured in characters",
    file: "src/live/document-size.ts",
    find: "return text.length * 3 > maxBytes &&",
    replace: "return text.length * 3 < 0 &&",
    tests: IN_FORCE,
  },
  {
    name: "entries may have any number of bytes",
    file: "src/admin/storage/storage.ts",
    find: "          MAX_ENTRIES_BYTES,\n",
    replace: "          1e9,\n",
    tests: ["test/admin/entries"],
  },
  {
    name: "a reply of metrics may have any size",
    file: "src/metrics/reader.ts",
    find: "const BYTES_PER_CALL = 1_000_000;",
    replace: "const BYTES_PER_CALL = 1e9;",
    tests: ["test/metrics/reply-size"],
  },
  {
    name: "a change of lists makes an isolate forget whom it denies",
    file: "src/gateway/live/enforcement.ts",
    find: "nextSource === source ? inForce.limiter : ",
    replace: "",
    tests: IN_FORCE,
  },
  {
    name: "a known denial outlives a change of rules",
    file: "src/gateway/live/enforcement.ts",
    find: "return JSON.stringify([rules, plans, overrides.plans]);",
    replace: "return JSON.stringify([plans, overrides.plans]);",
    tests: IN_FORCE,
  },
  {
    name: "with a broken document, clients cannot be blocked",
    file: "src/gateway/live/enforcement.ts",
    find: "if (same) putInForce(same, data, { ...state, version: inForce.version });",
    replace: "void same;",
    tests: IN_FORCE,
  },
  {
    name: "one broken entry puts all others out of force",
    file: "src/gateway/live/entries.ts",
    find: "return stored.filter((each) => !isBroken(each));",
    replace: "return stored.filter(() => false);",
    tests: IN_FORCE,
  },
  {
    name: "a client takes the override of a header by which it is not counted",
    file: "src/gateway/rules/overrides.ts",
    find: "of countedHeaders(identities, order)",
    replace: "of order.keys()",
    tests: IN_FORCE,
  },
  {
    name: "an override outlives its end",
    file: "src/gateway/rules/overrides.ts",
    find: "if (found && found.untilMs > nowMs) return found;",
    replace: "if (found) return found;",
    tests: IN_FORCE,
  },
  {
    name: "a pattern comes before an exact identity",
    file: "src/gateway/rules/overrides.ts",
    find: "const found = exact.get(names);",
    replace: "const found = patterns.length > 0 ? undefined : exact.get(names);",
    tests: IN_FORCE,
  },
  {
    name: "resetting a client resets what everybody shares",
    file: "src/gateway/administration/administer.ts",
    find: "filter(([by]) => !by.endsWith(EVERYBODY))",
    replace: "filter(([by]) => by !== EVERYBODY)",
    tests: IN_FORCE,
  },
  {
    name: "explaining a request takes its cost",
    file: "src/gateway/administration/explain.ts",
    find: "limiter, LOOK);",
    replace: 'limiter, { ...LOOK, operation: "limit" });',
    tests: IN_FORCE,
  },
  {
    name: "asking for a quota takes from it",
    file: "src/gateway/quota.ts",
    find: "limiter, LOOK);",
    replace: 'limiter, { ...LOOK, operation: "limit" });',
    tests: ["test/gateway/quota"],
  },
  {
    name: "a quota shows policies that are not advertised",
    file: "src/gateway/quota.ts",
    find: "(advertise ? [name] : [])",
    replace: "(advertise || name ? [name] : [])",
    tests: ["test/gateway/quota"],
  },
  {
    name: "a document of a newer form is taken for one of this",
    file: "src/gateway/live/document.ts",
    find: 'return form !== undefined && form !== "1";',
    replace: 'return form !== undefined && form === "0";',
    tests: ["test/live/documents"],
  },
];
