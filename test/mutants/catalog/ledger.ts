import type { Written } from "../written.ts";

/** Takers and givers: the ledger of all clients and masters. */
export const LEDGER: readonly Written[] = [
  {
    name: "ledger: the whole charge is sent again with a part of it",
    file: "src/features/holds/settle-hold.ts",
    find: ": asked.costs);",
    replace: ": unsharded.costs);",
    tests: ["test/limiter/ledger.test"],
  },
  {
    name: "ledger: a silent master's refund has one policy",
    file: "src/store/cluster/holds-in-parts.ts",
    find: "for (const index of indices) failures[index] = error",
    replace: "failures[indices[0]!] = error",
    tests: ["test/limiter/ledger.test"],
  },
  {
    name: "ledger: the sums of a settlement begin anew with each try",
    file: "src/features/holds/settle-hold.ts",
    find: "{ returned: { ...known.returned }, charged: { ...known.charged } }",
    replace: "{ returned: {}, charged: {} }",
    tests: ["test/limiter/ledger.test"],
  },
  {
    name: "ledger: a client hides a failure by hanging up",
    file: "src/features/holds/settle-response.ts",
    find: "signal.aborted && status >= 500 ? undefined : status",
    replace: "status",
    tests: ["test/limiter/ledger.test"],
  },
  {
    name: "ledger: a hold frees slots that it did not take",
    file: "src/features/holds/give-back.ts",
    find: "(hasSlots(policy) ? units[i]! : 0)",
    replace: "Number(hasSlots(policy) || units.length < i)",
    tests: ["test/limiter/ledger.test"],
  },
  {
    name: "ledger: a hold without a slot of one policy has none",
    file: "src/features/holds/create-hold.ts",
    find: "hasSlots(policy) && costs[i]! > 0",
    replace: "hasSlots(policy) && costs.every((cost) => cost > 0)",
    tests: ["test/limiter/ledger.test"],
  },
  {
    name: "ledger: what a larger plan used keeps a window from giving back",
    file: "src/algorithms/fixed-window.ts",
    find: "{ nowUs, takenAtUs, cost, parameters },\n) => {\n  const { endsUs } = state;",
    replace:
      "{ nowUs, takenAtUs, cost, limit, parameters },\n) => {\n  if (state.used >= 2 * limit) return { refunded: 0, state };\n  const { endsUs } = state;",
    tests: ["test/limiter/ledger.test"],
  },
  {
    name: "ledger: what has refilled since keeps a bucket from giving back",
    file: "src/algorithms/token-bucket.ts",
    find: "used + refilled < 2 * limit * intervalUs;",
    replace: "used + refilled < limit * intervalUs;",
    tests: ["test/limiter/ledger.test"],
  },
  {
    name: "ledger: a policy named constructor tells a function",
    file: "src/features/holds/settle-hold.ts",
    find: "(Object.hasOwn(sums, name) ? sums[name]! : 0)",
    replace: "(sums[name] ?? 0)",
    tests: ["test/limiter/ledger.test"],
  },
  {
    name: "ledger: denials that waited are sent again after an unknown result",
    file: "src/features/roles/role-steps.ts",
    find: "if (isNotAsked(each.error)) for",
    replace: "for",
    tests: ["test/limiter/ledger.test"],
  },
];
