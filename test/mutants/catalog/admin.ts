import type { Written } from "../written.ts";

/** The administration, and the rules and entries that it changes at run time. */
export const ADMIN: readonly Written[] = [
  {
    name: "tokens are compared by the last byte of their digests",
    file: "src/admin/authorize.ts",
    find: "difference |= byte ^ other[i]!",
    replace: "difference = byte ^ other[i]!",
    tests: ["test/admin/authorize"],
  },
  {
    name: "a number of a version is given twice after a loss of data",
    file: "src/admin/routes/publish.ts",
    find: "known: newestOf(call.gateway.enforced())",
    replace: "known: 0",
    tests: ["test/admin/rules"],
  },
  {
    name: "an older copy of the live rules is put into force",
    file: "src/gateway/live/refresh.ts",
    find: "state.revision > known.revision && state.revision >= begun",
    replace: "state.revision !== known.revision",
    tests: ["test/live/refresh"],
  },
  {
    name: "a late answer takes the place of rules that are being put into force",
    file: "src/gateway/live/refresh.ts",
    find: " && state.revision >= begun",
    replace: "",
    tests: ["test/live/refresh"],
  },
  {
    name: "requests wait for live rules beyond the timeout",
    file: "src/gateway/live/refresh.ts",
    find: "const leftMs = askedAtMs + timeoutMs - nowMs;",
    replace: "const leftMs = timeoutMs;",
    tests: ["test/live/refresh"],
  },
  {
    name: "live states: an answer on its way is an older copy",
    file: "src/gateway/live/refresh.ts",
    find: " && state.revision >= begun",
    replace: "",
    tests: ["test/live/refresh"],
  },
  {
    name: "refused addresses are kept without a bound",
    file: "src/admin/authorize.ts",
    find: "setRecent(refusedUntilMs, address, askedAtMs + retryAfterMs, MAX_KNOWN)",
    replace: "refusedUntilMs.set(address, askedAtMs + retryAfterMs)",
    tests: ["test/admin/refused-addresses"],
  },
];
