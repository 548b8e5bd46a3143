import { existsSync, globSync } from "node:fs";
import { basename, dirname } from "node:path";

/** The tests of folders, and of files that differ from the rest of theirs: the longest name with which a path begins counts. */
type Table = Readonly<Record<string, readonly string[]>>;

const TESTS: Table = {
  lua: ["test/lua/", "test/store/", "test/model/"],
  "lua/dropins": ["test/dropins/"],
  "lua/live": ["test/live/"],
  "lua/metrics": ["test/metrics/"],
  src: ["test/limiter/", "test/hono/", "test/node-servers/", "test/dropins/", "test/llm/"],
  "src/vercel.ts": ["test/edge/", "test/adapter/"],
  "src/adapter": ["test/adapter/", "test/hono/", "test/node-servers/"],
  "src/adapter/route-fields.ts": ["test/edge/"],
  "src/admin": ["test/admin/", "test/metrics/", "test/live/"],
  "src/algorithms": ["test/model/", "test/policy/", "test/lua/"],
  "src/dashboard": ["test/dashboard/"],
  "src/decide": ["test/limiter/", "test/denials/"],
  "src/decision": ["test/decision/", "test/hono/"],
  "src/denials": ["test/denials/"],
  "src/dropins": ["test/dropins/"],
  "src/errors": ["test/limiter/", "test/store/"],
  "src/algorithms/calendar": ["test/algorithms/", "test/limiter/", "test/policy/"],
  "src/algorithms/dropins": ["test/dropins/"],
  "src/features/calendar": ["test/limiter/"],
  "src/features/dimensions": ["test/limiter/"],
  "src/features/holds": ["test/limiter/"],
  "src/features/leases": ["test/lease/"],
  "src/features/lists": ["test/lists/", "test/limiter/"],
  "src/features/notices": ["test/notices/"],
  "src/features/optimistic": ["test/optimistic/"],
  "src/features/plans": ["test/policy/", "test/limiter/", "test/model/"],
  "src/features/roles": ["test/limiter/"],
  "src/features/shards": ["test/limiter/"],
  "src/features/shared-denials": ["test/denials/"],
  "src/features/listeners": ["test/limiter/"],
  "src/gateway": ["test/gateway/", "test/live/"],
  "src/gateway/administration": ["test/live/", "test/admin/"],
  "src/gateway/live": ["test/live/", "test/admin/"],
  "src/gateway/notices": ["test/notices/"],
  "src/limiter": ["test/limiter/"],
  "src/lists": ["test/lists/", "test/gateway/"],
  "src/live": ["test/live/"],
  "src/llm": ["test/llm/"],
  "src/metrics": ["test/metrics/"],
  "src/node": ["test/cli/", "test/bridge/"],
  "src/node/bridge": ["test/bridge/"],
  "src/node/cli": ["test/cli/", "test/doctor/"],
  "src/node/doctor": ["test/doctor/"],
  "src/options": ["test/options/", "test/policy/", "test/limiter/"],
  "src/outage": ["test/limiter/", "test/store/", "test/policy/"],
  "src/partition": ["test/partition/"],
  "src/policy": ["test/policy/", "test/lease/"],
  "src/runtime": ["test/runtime/", "test/store/", "test/optimistic/"],
  "src/store": ["test/store/"],
};

/** Tests of another name than the file's that say most of what it does. */
const NEAREST: Table = {
  "lua/algorithms": ["test/lua/model.test.ts"],
  "lua/decide.lua": ["test/store/redis-store.test.ts"],
  "lua/dropins": ["test/dropins/models.test.ts"],
  "lua/decide-one.lua": ["test/store/redis-store.test.ts"],
  "src/adapter": ["test/adapter/", "test/hono/"],
  "src/adapter/node-limiter.ts": ["test/node-servers/"],
  "src/adapter/node-server.ts": ["test/node-servers/"],
  "src/adapter/route-fields.ts": ["test/edge/vercel.test.ts"],
  "src/admin": ["rules", "entries", "hostile"].map((name) => `test/admin/${name}.test.ts`),
  "src/algorithms": ["test/lua/model.test.ts", "test/lua/refund.test.ts"],
  "src/algorithms/calendar": ["test/algorithms/"],
  "src/algorithms/dropins": ["test/dropins/models.test.ts"],
  "src/dropins": ["test/dropins/"],
  "src/express.ts": ["test/node-servers/"],
  "src/fastify.ts": ["test/node-servers/"],
  "src/features/dimensions": [
    "test/limiter/dimensions.test.ts",
    "test/policy/configuration.test.ts",
  ],
  "src/features/listeners": ["test/limiter/on-decision.test.ts"],
  "src/features/lists": ["limiter", "hono", "gateway/rules"].map(
    (of) => `test/${of}/lists.test.ts`,
  ),
  "src/features/plans": ["limiter/plans", "policy/configuration", "lease/lease-plan"].map(
    (path) => `test/${path}.test.ts`,
  ),
  "src/features/roles": ["bans", "modes", "waiting-denials"].map(
    (name) => `test/limiter/${name}.test.ts`,
  ),
  "src/features/shards": ["test/limiter/sharding.test.ts", "test/policy/shards.test.ts"],
  "src/gateway/config": ["test/gateway/config/"],
  "src/gateway/live": ["test/live/in-force.test.ts"],
  "src/gateway/match": ["test/gateway/match/paths.test.ts"],
  "src/gateway/match/router.ts": ["test/gateway/match/router.test.ts"],
  "src/gateway/match/sought.ts": ["router", "path-values"].map(
    (of) => `test/gateway/match/${of}.test.ts`,
  ),
  "src/gateway/notices": ["test/notices/gateway.test.ts"],
  "src/gateway/proxy": ["test/gateway/proxy/"],
  "src/hono.ts": ["test/hono/"],
  "src/node/bridge": ["cli", "encoding", "batches", "bounds"].map(
    (name) => `test/bridge/${name}.test.ts`,
  ),
  "src/node/cli": ["json", "check", "usage", "hostile"].map((name) => `test/cli/${name}.test.ts`),
  "src/node/cli/doctor-options.ts": ["test/doctor/cli.test.ts"],
  "src/node/doctor": ["test/doctor/judge.test.ts", "test/doctor/gateway.test.ts"],
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
    .filter((name) => file === name || file.startsWith(`${name}/`))
    .toSorted((a, b) => b.length - a.length);
  return longest === undefined ? undefined : table[longest];
}

/** The files and folders of tests that stand in the lists above and not in the project. */
export function missingTests(): readonly string[] {
  return [TESTS, NEAREST]
    .flatMap((table) => Object.values(table).flat())
    .filter((path) => !existsSync(path));
}
