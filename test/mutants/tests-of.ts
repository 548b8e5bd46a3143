import { existsSync, globSync } from "node:fs";
import { basename } from "node:path";

/** The tests of a folder's files. The longest name that a file's path begins with is its folder. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  lua: ["test/lua/", "test/model/"],
  "lua/live": ["test/live/"],
  "lua/metrics": ["test/metrics/"],
  src: ["test/limiter/", "test/hono/", "test/node-servers/", "test/llm/"],
  "src/adapter": ["test/adapter/", "test/hono/", "test/node-servers/"],
  "src/admin": ["test/admin/"],
  "src/algorithms": ["test/model/", "test/policy/", "test/lua/"],
  "src/dashboard": ["test/dashboard/"],
  "src/decide": ["test/limiter/", "test/denials/"],
  "src/decision": ["test/decision/", "test/hono/"],
  "src/denials": ["test/denials/"],
  "src/dropins": ["test/dropins/"],
  "src/errors": ["test/limiter/", "test/store/"],
  "src/algorithms/calendar": ["test/algorithms/", "test/limiter/", "test/policy/"],
  "src/features/calendar": ["test/limiter/"],
  "src/features/holds": ["test/limiter/"],
  "src/features/leases": ["test/lease/"],
  "src/features/lists": ["test/lists/", "test/limiter/"],
  "src/features/notices": ["test/notices/"],
  "src/features/optimistic": ["test/optimistic/"],
  "src/features/plans": ["test/policy/", "test/limiter/", "test/model/"],
  "src/features/replica": ["test/replica/"],
  "src/features/roles": ["test/limiter/"],
  "src/features/shards": ["test/limiter/"],
  "src/features/shared-denials": ["test/denials/"],
  "src/features/listeners": ["test/limiter/"],
  "src/gateway": ["test/gateway/"],
  "src/gateway/notices": ["test/notices/"],
  "src/limiter": ["test/limiter/"],
  "src/lists": ["test/lists/", "test/gateway/"],
  "src/live": ["test/live/"],
  "src/llm": ["test/llm/"],
  "src/metrics": ["test/metrics/"],
  "src/node": ["test/bridge/", "test/stack/"],
  "src/node/bridge": ["test/bridge/"],
  "src/node/cli": ["test/cli/"],
  "src/node/doctor": ["test/doctor/"],
  "src/options": ["test/options/", "test/policy/", "test/limiter/"],
  "src/outage": ["test/limiter/", "test/store/", "test/policy/"],
  "src/partition": ["test/partition/"],
  "src/policy": ["test/policy/"],
  "src/runtime": ["test/runtime/", "test/store/"],
  "src/store": ["test/store/"],
};

/** The tests of a file of `src` or `lua`: those of the same name, and the folders that say what its folder does. */
export function testsOf(file: string): {
  readonly nearest: readonly string[];
  readonly tests: readonly string[];
} {
  const folder = Object.keys(FOLDERS)
    .filter((name) => file.startsWith(`${name}/`))
    .toSorted((a, b) => b.length - a.length)[0];
  if (folder === undefined) throw new Error(`${file}: no tests are known for its folder`);
  const tests = FOLDERS[folder]!;
  const name = basename(file).replace(/\.\w+$/, "");
  const nearest = tests.flatMap((path) => globSync(`${path}**/${name}.test.ts`));
  return { nearest, tests };
}

/** The folders of tests that stand in the list above and not in the project. */
export function missingFolders(): readonly string[] {
  return Object.values(FOLDERS)
    .flat()
    .filter((path) => !existsSync(path));
}
