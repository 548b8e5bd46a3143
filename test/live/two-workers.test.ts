import { setTimeout as sleep } from "node:timers/promises";

import { expect, test } from "vitest";

import type { Worker } from "../../scripts/local-stack/worker.ts";
import { figures } from "../support/chaos/figures.ts";
import { ADMIN_TOKEN, limited } from "../support/live/live-gateway.ts";
import { deployedWorkers, REFRESH_MS } from "./deployed-workers.ts";

/** The further time that a busy machine may take: the answer of a poll that was under way, and the next request. */
const SLACK_MS = 1_000;

const fleet = deployedWorkers(2);
const { workers } = fleet;

/** One answer of a worker: its status, and the limit that it told. */
interface Answer {
  readonly status: number;
  readonly limit: number;
  readonly atMs: number;
}

/** New clients that keep asking one worker. */
function startLoad(worker: Worker) {
  const answers: Answer[] = [];
  const ended = new AbortController();
  const user = async () => {
    for (let i = 0; !ended.signal.aborted; i++) {
      const headers = { "x-user-id": i % 50 === 0 ? "eve" : crypto.randomUUID() };
      const { status, headers: fields } = await fetch(`${worker.url}/api/x`, { headers });
      const limit = Number(/q=(\d+)/.exec(fields.get("ratelimit-policy") ?? "")?.[1]);
      answers.push({ status, limit, atMs: performance.now() });
    }
  };
  const users = Promise.all([user(), user(), user(), user()]);
  return {
    answers,
    async stop() {
      ended.abort();
      await users;
    },
  };
}

async function admin(method: string, path: string, body: object, version?: number) {
  const headers = {
    Authorization: `Bearer ${ADMIN_TOKEN}`,
    "Content-Type": "application/json",
    ...(version !== undefined && { "If-Match": `"${version}"` }),
  };
  const url = `${workers[0]!.url}/_tidegate/api/v1${path}`;
  const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
  await response.text();
  expect(response.status, path).toBeOneOf([200, 204]);
}

const BLOCK = { cidr: "127.0.0.0/8", for: "1h" };
const EXEMPTION = { cidr: "127.0.0.1" };

/** Changes something, and says how long it took until both workers only answered as they should from then on. */
async function timeOf(
  loads: readonly { readonly answers: readonly Answer[] }[],
  change: () => Promise<void>,
  isOld: (answer: Answer) => boolean,
): Promise<number> {
  const startMs = performance.now();
  await change();
  await sleep(2 * REFRESH_MS + SLACK_MS);
  const late = loads.flatMap(({ answers }) =>
    answers.filter((answer) => answer.atMs > startMs && isOld(answer)),
  );
  return Math.max(0, ...late.map(({ atMs }) => atMs - startMs));
}

test(
  "two workers under load enforce each change within twice the refresh, no request fails, and none has a call more",
  { timeout: 60_000 },
  async () => {
    const loads = workers.map(startLoad);
    await sleep(500);
    const before = { calls: fleet.bridge.requests, startMs: performance.now() };
    const answered = () => loads.reduce((sum, { answers }) => sum + answers.length, 0);
    const answeredBefore = answered();
    const changes: readonly [
      name: string,
      change: () => Promise<void>,
      isOld: (answer: Answer) => boolean,
    ][] = [
      ["lowered", () => admin("PUT", "/rules", limited(3), 0), ({ limit }) => limit === 5],
      ["raised", () => admin("PUT", "/rules", limited(1_000_000), 1), ({ limit }) => limit === 3],
      ["blocked", () => admin("PUT", "/lists/deny", BLOCK), ({ status }) => status === 200],
      ["exempted", () => admin("PUT", "/lists/allow", EXEMPTION), ({ status }) => status === 403],
      [
        "freed",
        async () => {
          await admin("DELETE", "/lists/deny", BLOCK);
          await admin("DELETE", "/lists/allow", EXEMPTION);
        },
        ({ limit }) => Number.isNaN(limit),
      ],
      [
        "rolled back",
        () => admin("POST", "/rules/rollback", { to: 1 }),
        ({ limit }) => limit === 1_000_000,
      ],
    ];
    const took: [name: string, ms: number][] = [];
    for (const [name, ...change] of changes) took.push([name, await timeOf(loads, ...change)]);
    await Promise.all(loads.map((load) => load.stop()));
    const seconds = (performance.now() - before.startMs) / 1000;
    const answers = loads.flatMap((load) => load.answers);
    figures("two workers, LIVE_REFRESH 1s", {
      ...Object.fromEntries(took.map(([name, ms]) => [`${name} after ms`, Math.round(ms)])),
      requests: answers.length,
    });
    const late = took.filter(([, ms]) => ms > 2 * REFRESH_MS + SLACK_MS / 2);
    expect(late).toEqual([]);
    // A limit of 3 or 5 denies the one client that comes again and again; any other answer is an error.
    expect(answers.filter(({ status }) => ![200, 403, 429].includes(status))).toEqual([]);
    // One call each, but for denials that are known and clients on lists; and the calls of polls and the administration.
    const extra = 3 * 2 * Math.ceil(seconds / (REFRESH_MS / 1000)) + 100;
    expect(fleet.bridge.requests - before.calls).toBeLessThanOrEqual(
      answered() - answeredBefore + extra,
    );
  },
);
