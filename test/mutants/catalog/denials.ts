import type { Written } from "../written.ts";

/** An isolate's knowledge of the identities that it denied. */
export const DENIALS: readonly Written[] = [
  {
    name: "Redis's clock is known to the quarter of a microsecond",
    file: "src/denials/redis-clocks.ts",
    find: "/ (1 + DRIFT) - ROUNDING_MS",
    replace: "/ (1 + DRIFT)",
    tests: ["test/denials/redis-clocks"],
  },
  {
    name: "a step of Redis's clock goes unnoticed",
    file: "src/denials/redis-clocks.ts",
    find: "redisNowMs <= known.baseMs + receivedAtMs * (1 + DRIFT)",
    replace: "true",
    tests: ["test/denials/redis-clocks"],
  },
  {
    name: "all ask when a known denial has run out",
    file: "src/denials/single-flight.ts",
    find: "if (flight === undefined) return undefined;",
    replace: "if (flight || !flight) return undefined;",
    tests: ["test/denials/single-flight"],
  },
  {
    name: "a request waits for ever",
    file: "src/denials/single-flight.ts",
    find: "flight.room.wait(leftMs)",
    replace: "flight.room.wait(60_000)",
    tests: ["test/denials/single-flight"],
  },
  {
    name: "no margin for drift",
    file: "src/denials/denial-cache.ts",
    find: "const DRIFT = 5e-4",
    replace: "const DRIFT = 0",
    tests: ["test/denials/denial-cache"],
  },
  {
    name: "a flood of denials pushes out those in use",
    file: "src/denials/clock-cache.ts",
    find: "if (!used[hand]) break;",
    replace: "break;",
    tests: ["test/denials/denial-cache", "test/denials/clock-cache"],
  },
  {
    name: "an answer from before a reset brings the denial back",
    file: "src/denials/denial-cache.ts",
    find: "if (decidedAtMs <= forgotAtMs) return;",
    replace: "",
    tests: ["test/denials/denial-cache"],
  },
];
