import { existsSync, globSync } from "node:fs";
import { basename, dirname } from "node:path";

/** The tests of folders, and of files that differ from the rest of theirs: the longest name with which a path begins counts. */
type Table = Readonly<Record<string, readonly string[]>>;

const TESTS: Table = {
  lua: ["test/lua/", "test/store/", "test/model/"],
  "lua/dropins": ["test/dropins/"],
  "lua/live": ["test/live/"],
  "lua/metrics": ["test/metrics/"],
  "lua/region": ["test/region/"],
  "lua/take.lua": ["test/region/"],
  src: ["test/limiter/", "test/hono/", "test/node-servers/", "test/dropins/", "test/llm/"],
  "src/vercel.ts": ["test/edge/", "test/adapter/"],
  "src/adapter": ["test/adapter/", "test/hono/", "test/node-servers/"],
  "src/adapter/route-fields.ts": ["test/edge/"],
  "src/admin": ["test/admin/", "test/metrics/", "test/live/"],
  "src/algorithms": ["test/model/", "test/policy/", "test/lua/"],
  "packages/dashboard/src": ["test/dashboard/"],
  "src/decide": ["test/limiter/", "test/denials/"],
  ...Object.fromEntries(
    ["header-fields", "listed", "outcome", "present", "problem"].map((name) => [
      `src/decide/${name}.ts`,
      ["test/decision/", "test/hono/"],
    ]),
  ),
  ...Object.fromEntries(
    ["last-answers", "local-counts", "local-rows", "local-share", "local-slots", "local-units"].map(
      (name) => [`src/decide/${name}.ts`, ["test/limiter/", "test/store/", "test/policy/"]],
    ),
  ),
  "src/decide/denial-cache.ts": ["test/denials/"],
  "src/decide/redis-clocks.ts": ["test/denials/"],
  "src/runtime/clock-cache.ts": ["test/denials/"],
  "src/dropins": ["test/dropins/"],
  "src/algorithms/calendar": ["test/algorithms/", "test/limiter/", "test/policy/"],
  "src/algorithms/drop-in": ["test/dropins/"],
  "src/features": ["test/limiter/"],
  "src/features/jwt": ["test/gateway/", "test/hono/"],
  "src/features/leases": ["test/lease/"],
  "src/features/lists": ["test/lists/", "test/limiter/", "test/gateway/"],
  "src/features/notice": ["test/notices/"],
  "src/features/optimistic-": ["test/optimistic/"],
  "src/features/settle-optimistic.ts": ["test/optimistic/"],
  "src/features/plan": ["test/policy/", "test/limiter/", "test/model/"],
  "src/features/compile-region.ts": ["test/region/"],
  "src/features/region-": ["test/region/"],
  "src/features/report-home.ts": ["test/region/"],
  "src/features/share": ["test/denials/"],
  "src/gateway": ["test/gateway/", "test/live/"],
  "src/gateway/config/nearest.ts": ["test/region/"],
  "src/gateway/config/notices.ts": ["test/notices/"],
  "src/gateway/config/open-regions.ts": ["test/region/"],
  "src/gateway/config/read-region.ts": ["test/region/"],
  "src/gateway/config/region-": ["test/region/"],
  "src/gateway/config/sign-webhook.ts": ["test/notices/"],
  "src/gateway/config/webhook.ts": ["test/notices/"],
  "src/gateway/live": ["test/live/", "test/admin/"],
  "src/limiter": ["test/limiter/"],
  "src/llm": ["test/llm/"],
  "src/metrics": ["test/metrics/"],
  "packages/redis-rest/src": ["test/redis-rest/"],
  "packages/cli/src": ["test/cli/"],
  "packages/cli/src/doctor": ["test/cli/doctor/"],
  "src/options/errors.ts": ["test/limiter/", "test/store/"],
  "src/options": ["test/options/", "test/policy/", "test/limiter/"],
  "src/partition": ["test/partition/"],
  "src/policy": ["test/policy/", "test/lease/"],
  "src/runtime": ["test/runtime/", "test/store/", "test/optimistic/"],
  "src/store": ["test/store/"],
  "src/store/kept-metrics.ts": ["test/metrics/"],
  "src/store/metrics-store.ts": ["test/metrics/"],
  "src/store/object-metrics.ts": ["test/metrics/"],
  "src/store/redis/redis-metrics.ts": ["test/metrics/"],
  "src/store/region": ["test/region/"],
  "src/store/control": ["test/live/", "test/admin/", "test/store/"],
};

/** Tests of another name than the file's that say most of what it does. */
const NEAREST: Table = {
  "lua/algorithms": ["test/lua/model.test.ts"],
  "lua/decide.lua": ["test/store/redis-store.test.ts"],
  "lua/dropins": ["test/dropins/models.test.ts"],
  "lua/decide-one.lua": ["test/store/redis-store.test.ts"],
  "lua/region": ["pools", "memory-pools"].map((name) => `test/region/${name}.test.ts`),
  "src/adapter": ["test/adapter/", "test/hono/"],
  "src/adapter/node-limiter.ts": ["test/node-servers/"],
  "src/adapter/node-server.ts": ["test/node-servers/"],
  "src/adapter/route-fields.ts": ["test/edge/vercel.test.ts"],
  "src/admin": ["rules", "entries", "hostile"].map((name) => `test/admin/${name}.test.ts`),
  "src/algorithms": ["test/lua/model.test.ts", "test/lua/refund.test.ts"],
  "src/algorithms/calendar": ["test/algorithms/"],
  "src/algorithms/drop-in": ["test/dropins/models.test.ts"],
  "src/dropins": ["test/dropins/"],
  "src/decide/identify.ts": ["test/partition/partition-key.test.ts"],
  "src/decide/known-denials.ts": ["test/denials/single-flight.test.ts"],
  "src/express.ts": ["test/node-servers/"],
  "src/fastify.ts": ["test/node-servers/"],
  "src/features/dimensions-feature.ts": [
    "test/limiter/dimensions.test.ts",
    "test/policy/configuration.test.ts",
  ],
  "src/features/decision-listener.ts": ["test/limiter/on-decision.test.ts"],
  "src/features/jwt": ["test/gateway/jwt.test.ts", "test/hono/jwt.test.ts"],
  "src/features/lists": ["limiter", "hono", "gateway/rules"].map(
    (of) => `test/${of}/lists.test.ts`,
  ),
  "src/features/plan": ["limiter/plans", "policy/configuration", "lease/lease-plan"].map(
    (path) => `test/${path}.test.ts`,
  ),
  ...Object.fromEntries(
    ["compile-region", "regions-feature", "region-options", "report-home"].map((name) => [
      `src/features/${name}.ts`,
      ["test/region/compile.test.ts", "test/region/limiter.test.ts"],
    ]),
  ),
  "src/features/roles": ["bans", "modes", "waiting-denials"].map(
    (name) => `test/limiter/${name}.test.ts`,
  ),
  "src/features/shard": ["test/limiter/sharding.test.ts", "test/policy/shards.test.ts"],
  "src/gateway/config": ["test/gateway/config/"],
  "src/gateway/live": ["test/live/in-force.test.ts"],
  ...Object.fromEntries(
    ["methods", "named-segments", "path", "select-rules", "steps", "wildcard"].map((name) => [
      `src/gateway/rules/${name}.ts`,
      ["test/gateway/rules/paths.test.ts"],
    ]),
  ),
  "src/gateway/rules/router.ts": ["test/gateway/rules/router.test.ts"],
  "src/gateway/rules/sought.ts": ["router", "path-values"].map(
    (of) => `test/gateway/rules/${of}.test.ts`,
  ),
  "src/gateway/config/notices.ts": ["test/notices/gateway.test.ts"],
  "src/gateway/config/webhook.ts": ["test/notices/gateway.test.ts"],
  "src/gateway/proxy": ["test/gateway/proxy/"],
  "src/hono.ts": ["test/hono/"],
  "src/partition/key-text.ts": ["test/partition/partition-key.test.ts"],
  ...Object.fromEntries(
    ["kept-pool", "memory-pools", "pools-per-partition", "put-pool", "spend-pools"].map((name) => [
      `src/store/region/${name}.ts`,
      ["test/region/memory-pools.test.ts"],
    ]),
  ),
  "src/store/region": ["pools", "limiter"].map((name) => `test/region/${name}.test.ts`),
  "src/runtime/time.ts": ["test/runtime/clock.test.ts", "test/runtime/timeout.test.ts"],
  "packages/redis-rest/src": ["cli", "encoding", "batches", "bounds"].map(
    (name) => `test/redis-rest/${name}.test.ts`,
  ),
  "packages/cli/src": ["json", "check", "usage", "hostile"].map(
    (name) => `test/cli/${name}.test.ts`,
  ),
  "packages/cli/src/doctor-options.ts": ["test/cli/doctor/cli.test.ts"],
  "packages/cli/src/doctor": ["test/cli/doctor/judge.test.ts", "test/cli/doctor/gateway.test.ts"],
  "src/vercel.ts": ["test/edge/vercel.test.ts"],
};

/**
 * The tests of a file of `src` or `lua`: the nearest, among them those of its name, with or without that of its folder, and those
 * of all that its folder does.
 */
export function testsOf(file: string): {
  readonly nearest: readonly string[];
  readonly tests: readonly string[];
} {
  const tests = find(TESTS, file);
  if (tests === undefined) throw new Error(`${file}: no tests are known for its folder`);
  const name = basename(file).replace(/\.\w+$/, "");
  const names = `{${name},${basename(dirname(file))}-${name}}`;
  const named = tests.flatMap((path) => globSync(`${path}**/${names}.test.ts`));
  return { nearest: [...new Set([...named, ...(find(NEAREST, file) ?? [])])], tests };
}

function find(table: Table, file: string): readonly string[] | undefined {
  const [longest] = Object.keys(table)
    .filter((name) => file.startsWith(name))
    .toSorted((a, b) => b.length - a.length);
  return longest === undefined ? undefined : table[longest];
}

/** The files and folders of tests that stand in the lists above and not in the project. */
export function missingTests(): readonly string[] {
  return [TESTS, NEAREST]
    .flatMap((table) => Object.values(table).flat())
    .filter((path) => !existsSync(path));
}
