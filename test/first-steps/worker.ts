import { mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { inject, onTestFinished } from "vitest";
import { createTestHarness } from "wrangler";

export interface WorkerProject {
  /** The worker's files by their paths; `src/index.ts` is its entry unless `wrangler.toml` is among them. */
  readonly files: Readonly<Record<string, string>>;
  readonly compatibilityDate?: string;
  readonly compatibilityFlags?: readonly string[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
}

export interface RunningWorker {
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

/** The variables of this run's Redis. */
export const redisVariables = () => ({
  UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
  UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
});

/** A worker's project beside the installed package, bundled by wrangler and run in workerd as `wrangler dev` does. */
export async function startProject(project: WorkerProject): Promise<RunningWorker> {
  const { files, compatibilityDate, compatibilityFlags = [], variables = {}, secrets } = project;
  const folder = await mkdtemp(join(inject("installed"), "worker-"));
  // Files that wrangler.toml names by their paths, as the dashboard's, are looked for in the project itself.
  await symlink(join(inject("installed"), "node_modules"), join(folder, "node_modules"));
  const configuration = `name = "worker"
main = "src/index.ts"
compatibility_date = "${compatibilityDate}"
compatibility_flags = ${JSON.stringify(compatibilityFlags)}
`;
  for (const [path, text] of Object.entries({ "wrangler.toml": configuration, ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return startWorker(folder, variables, secrets);
}

/** The worker of a folder with a `wrangler.toml`, until the test ends. */
export async function startWorker(
  folder: string,
  variables: Readonly<Record<string, string>> = {},
  secrets?: Readonly<Record<string, string>>,
): Promise<RunningWorker> {
  const harness = createTestHarness({
    root: folder,
    workers: [{ configPath: "wrangler.toml", vars: variables, ...(secrets && { secrets }) }],
  });
  onTestFinished(() => harness.close());
  const { url } = await harness.listen();
  return { fetch: (path, init) => fetch(new URL(path, url), init) };
}

/** The statuses of that many requests, one after the other. */
export async function statusesOf(
  worker: RunningWorker,
  requests: number,
  path = "/",
  init?: RequestInit,
): Promise<number[]> {
  const statuses: number[] = [];
  for (let request = 0; request < requests; request++) {
    const response = await worker.fetch(path, init);
    await response.text();
    statuses.push(response.status);
  }
  return statuses;
}
