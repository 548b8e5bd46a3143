import type { Written } from "../written.ts";

/** What leased policies in the modes shadow and soft say of requests that are served from held units. */
export const LEASE_ADVICE: readonly Written[] = [
  {
    name: "lease advice: each request on held units is within a shadow's limit",
    file: "src/features/leases/held-reply.ts",
    find: "allowed ? coversAll(spent, policy) : !waits",
    replace: "allowed || !waits",
    tests: ["test/lease/advisory"],
  },
  {
    name: "lease advice: what is spent covers as many as ever",
    file: "src/features/leases/holding.ts",
    find: "left - covered![i]!",
    replace: "left",
    tests: ["test/lease/advisory"],
  },
  {
    name: "lease advice: held units of others make room in a shadow",
    file: "src/features/leases/draw.ts",
    find: "i < enforced",
    replace: "i <= enforced",
    tests: ["test/lease/draw"],
  },
  {
    name: "lease advice: the script says that a shadow was charged all units",
    file: "lua/lease.lua",
    find: "reply[4 * last + 2 + policy] = cost",
    replace: "reply[4 * last + 2 + policy] = taken",
    tests: ["test/lua/lease"],
  },
  {
    name: "lease advice: the memory says that a shadow was charged all units",
    file: "src/store/lease-together.ts",
    find: "isAdvisory(i) ? Math.min(taken, remaining) : taken",
    replace: "taken",
    tests: ["test/lua/lease", "test/lease/advisory"],
  },
];
