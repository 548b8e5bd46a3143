import type { Written } from "../written.ts";

/** An isolate's knowledge of the identities that it denied. */
export const DENIALS: readonly Written[] = [
  {
    name: "a step of Redis's clock goes unnoticed",
    file: "src/decide/redis-clocks.ts",
    find: "redisNowMs <= known.baseMs + receivedAtMs * (1 + DRIFT)",
    replace: "true",
    tests: ["test/denials/redis-clocks"],
  },
  {
    name: "a request waits for ever",
    file: "src/decide/known-denials.ts",
    find: "flight.room.wait(leftMs)",
    replace: "flight.room.wait(60_000)",
    tests: ["test/denials/single-flight"],
  },
  {
    name: "no margin for drift",
    file: "src/decide/denial-cache.ts",
    find: "const DRIFT = 5e-4",
    replace: "const DRIFT = 0",
    tests: ["test/denials/denial-cache"],
  },
  {
    name: "an answer from before a reset brings the denial back",
    file: "src/decide/denial-cache.ts",
    find: "if (decidedAtMs <= forgotAtMs) return;",
    replace: "",
    tests: ["test/denials/denial-cache"],
  },
  {
    name: "a request of two flights waits for the first alone",
    file: "src/decide/known-denials.ts",
    find: "flight.then(() => look(asked, arrivedAtMs, now()))",
    replace: "flight.then(() => ask(asked))",
    tests: ["test/denials/two-flights"],
  },
];
