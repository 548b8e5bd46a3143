import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";

import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

import { LongestFirst } from "./test/support/longest-first.ts";
import { SecondTries } from "./test/support/second-tries.ts";

const source = (file: string) => fileURLToPath(new URL("src/", import.meta.url)) + file;

/** On the packed package, installed in an empty folder. */
const firstSteps = {
  globalSetup: ["test/first-steps/global-setup.ts"],
  testTimeout: 240_000,
  hookTimeout: 300_000,
};

/** A test that hangs ends. Far above what any takes on a busy machine, so that only what hangs does. */
const PATIENCE_MS = 60_000;

/** The programs beside the limiter, and what starts them: `npm run test:programs` has them apart from `npm test`. */
const PROGRAMS = [
  "test/{cli,create-tidegate,deploy,package,programs,redis-rest,stack,surge}/**/*.test.ts",
  "test/docs/{bench,cli,guides-commands,incident,lost-drill,tour}.test.ts",
  "test/metrics/{alerts/**/*,stop}.test.ts",
  "test/{gateway,limiter}/bundle.test.ts",
  "test/admin/openapi.test.ts",
  "test/store/connected-clients.test.ts",
];

const BROWSER = "test/dashboard/**/*.test.ts";

/**
 * Files that `npm test` leaves to `npm run test:stress`: they have no shorter form. They look at the simulator itself, at
 * deployed workers, regions and pacers under load, and at clusters that lose a master or what is sent to it.
 */
const STRESS_ONLY = [
  "test/simulator/mutants.test.ts",
  "test/live/{trial-fleet,two-workers}.test.ts",
  "test/region/steady.test.ts",
  "test/llm/pacing-fleet.test.ts",
  "test/chaos/{dead-master,failover,lost-refunds}.test.ts",
];

/** Files that `npm test` runs in a short form: of their random runs, their faults and their loads it takes a part. */
const SHORTENED = globSync("test/**/*.test.ts", { exclude: [...PROGRAMS, BROWSER] }).filter(
  (file) => /(?:support\/runs|\.\/fuzz|ledger\/cells)\.ts"/.test(readFileSync(file, "utf8")),
);

/** `TEST_RUNS=10` makes ten times as many random runs in a test, and takes ten times as long. */
const inNode = (runs: string) => {
  const TEST_RUNS = process.env["TEST_RUNS"] || runs;
  return {
    setupFiles: ["test/support/seed.ts", "test/support/fresh-log.ts"],
    env: { TEST_RUNS },
    testTimeout: PATIENCE_MS * Math.max(1, Number(TEST_RUNS)),
    hookTimeout: PATIENCE_MS,
  };
};

const SHORT = inNode("0.1");
const WHOLE = inNode("1");

// Tests start hundreds of programs. With what Node compiled before, each starts in half the time.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(
  new URL("node_modules/.cache/node", import.meta.url),
);

/**
 * `.ci/run` tries a failed test up to twice more, so that one of nine thousand doesn't hide what the others say. A test that
 * passes then is named at the end of the run: it shows a defect of the test or of the product.
 */
const RETRIES = Number(process.env["TEST_RETRIES"] ?? 0);

// Three runtimes. What is the same everywhere is tested in Node, on a real Redis over real HTTP; the other two show
// that the code that ships runs where it ships to.
export default defineConfig({
  // The package by its own name, as the README imports it.
  resolve: {
    alias: [
      { find: /^tidegate$/, replacement: source("index.ts") },
      {
        find: /^tidegate\/(hono|express|express-rate-limit|nest-throttler|better-auth|rate-limiter-flexible|upstash-ratelimit|fastify|vercel|node|cloudflare|durable-object|llm|pacing|prices|gateway|admin|jwt|tracing|worker)$/,
        replacement: source("$1.ts"),
      },
    ],
  },
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    // A second run reads what the first has translated.
    fsModuleCache: true,
    retry: RETRIES,
    reporters: ["default", new SecondTries()],
    // A test that asserts nothing fails.
    expect: { requireAssertions: true, poll: { timeout: PATIENCE_MS / 4 } },
    sequence: { sequencer: LongestFirst },
    // Many tests wait for timeouts and restarts of a Redis, so that three share two cores well.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    projects: [
      {
        extends: true,
        test: {
          ...SHORT,
          name: "node",
          // Files share a process and what it has compiled. A file that leaves something behind shows up in another one.
          isolate: false,
          setupFiles: [...SHORT.setupFiles, "test/support/fresh-modules.ts"],
          include: ["test/**/*.test.ts"],
          exclude: [
            "test/workerd/**",
            "test/edge/**",
            "test/first-steps/**",
            BROWSER,
            ...PROGRAMS,
            ...STRESS_ONLY,
          ],
        },
      },
      { extends: true, test: { ...WHOLE, name: "programs", include: PROGRAMS } },
      {
        extends: true,
        test: { ...WHOLE, name: "stress", include: [...SHORTENED, ...STRESS_ONLY] },
      },
      // A page of Chromium costs seconds: `npm run test:browser` has them apart from `npm test`.
      {
        extends: true,
        test: {
          ...WHOLE,
          name: "browser",
          include: [BROWSER],
          // Many tests wait for a text, and fail if it never comes: Playwright's assertions are not counted.
          expect: { requireAssertions: false },
          // A Chromium waits for little: two of them take two cores. Projects of other counts run apart.
          maxWorkers: Math.max(2, availableParallelism() - 1),
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        plugins: [
          cloudflareTest(({ inject }) => ({
            main: "test/workerd/objects.ts",
            miniflare: {
              durableObjects: {
                LIMITS: { className: "TidegateObject", useSQLite: true },
                NEARBY: { className: "TidegateRegion", useSQLite: true },
              },
              compatibilityDate: "2026-10-20",
              compatibilityFlags: ["nodejs_compat"],
              bindings: {
                UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
                UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
              },
            },
          })),
        ],
        test: {
          name: "workerd",
          // Files share a workerd, which takes longer to start than the tests of most.
          isolate: false,
          include: ["test/workerd/**/*.test.ts"],
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      },
      {
        extends: true,
        test: {
          ...firstSteps,
          name: "first-steps",
          include: ["test/first-steps/**/*.test.ts"],
          exclude: ["test/first-steps/next.test.ts"],
        },
      },
      {
        extends: true,
        test: { ...firstSteps, name: "next", include: ["test/first-steps/next.test.ts"] },
      },
      {
        extends: true,
        // What a bundler for that runtime finds. Vite would take Node's, in which the environment runs.
        ssr: { resolve: { conditions: ["edge-light", "module", "import", "default"] } },
        test: {
          name: "edge",
          isolate: false,
          include: ["test/edge/**/*.test.ts"],
          environment: "edge-runtime",
          testTimeout: PATIENCE_MS,
          hookTimeout: PATIENCE_MS,
        },
      },
    ],
  },
});
