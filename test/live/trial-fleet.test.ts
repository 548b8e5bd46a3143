import { setTimeout as sleep } from "node:timers/promises";

import { expect, test } from "vitest";

import type { Worker } from "../../scripts/local-stack/worker.ts";
import { figures } from "../support/chaos/figures.ts";
import { ADMIN_TOKEN, limited } from "../support/live/live-gateway.ts";
import { deployedWorkers, REFRESH_MS } from "./deployed-workers.ts";

/*
 * Workers under load while a version goes from one percent of the clients to all of them, and back.
 */

const USERS = Array.from({ length: 200 }, (_, i) => `rider-${i}`);
/** The limit that all clients have, and the one that is tried: so low that it is reached. */
const BEFORE = 1_000_000;
const TRIED = 10;

const { workers } = deployedWorkers(3);

/** One answer of a worker to a user. */
interface Answer {
  readonly worker: Worker;
  readonly user: string;
  readonly status: number;
  readonly limit: number;
}

async function ask(worker: Worker, user: string): Promise<Answer> {
  const { status, headers } = await fetch(`${worker.url}/api/x`, {
    headers: { "x-user-id": user },
  });
  const limit = Number(/q=(\d+)/.exec(headers.get("ratelimit-policy") ?? "")?.[1]);
  return { worker, user, status, limit };
}

/** All users keep asking all workers, one after the other. */
function startLoad() {
  const answers: Answer[] = [];
  const ended = new AbortController();
  const askAll = async (worker: Worker, first: number) => {
    for (let i = first; !ended.signal.aborted; i += 2)
      answers.push(await ask(worker, USERS[i % USERS.length]!));
  };
  const all = Promise.all(workers.flatMap((worker) => [askAll(worker, 0), askAll(worker, 1)]));
  return {
    answers,
    async stop() {
      ended.abort();
      await all;
      return answers;
    },
  };
}

/** Every user asks every worker once. */
async function askOnce(): Promise<readonly Answer[]> {
  const halves = [USERS.slice(0, USERS.length / 2), USERS.slice(USERS.length / 2)];
  const asking = workers.flatMap((worker) =>
    halves.map(async (users) => {
      const answers: Answer[] = [];
      for (const user of users) answers.push(await ask(worker, user));
      return answers;
    }),
  );
  return (await Promise.all(asking)).flat();
}

async function admin(method: string, path: string, body?: object, version?: number) {
  const headers = {
    Authorization: `Bearer ${ADMIN_TOKEN}`,
    "Content-Type": "application/json",
    ...(version !== undefined && { "If-Match": `"${version}"` }),
  };
  const url = `${workers[0]!.url}/_tidegate/api/v1${path}`;
  const response = await fetch(url, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  expect([path, response.status]).toEqual([path, 200]);
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  return answer as any;
}

/** Twice the refresh, and the further time that a busy machine may take. */
const settle = () => sleep(2 * REFRESH_MS + 1_000);

/** The counts of both sides after every worker has told its own: requests without an identity have them read. */
async function countsOf() {
  await sleep(REFRESH_MS + 100);
  for (const worker of workers) await fetch(`${worker.url}/api/x`);
  await sleep(300);
  return (await admin("GET", "/rules")).trial.counts as Record<
    "tried" | "others",
    { decided: number; denied: number }
  >;
}

const countOf = (answers: readonly Answer[], limit: number) => {
  const own = answers.filter((answer) => answer.limit === limit);
  return { decided: own.length, denied: own.filter(({ status }) => status === 429).length };
};

/** Those of the answers that took a client back to the old version at a worker that had given it the new one. */
function wentBack(answers: readonly Answer[]): readonly Answer[] {
  const moved = new Set<string>();
  return answers.filter(({ worker, user, limit }) => {
    const key = `${worker.url} ${user}`;
    if (limit === TRIED) moved.add(key);
    return limit === BEFORE && moved.has(key);
  });
}

const triedBy = (answers: readonly Answer[]) =>
  new Set(answers.flatMap(({ user, limit }) => (limit === TRIED ? [user] : [])));

test(
  "a version goes from one percent to all and back under load: no client changes sides twice, and every decision is counted",
  { timeout: 180_000 },
  async () => {
    await admin("PUT", "/rules", limited(BEFORE), 0);
    await settle();
    let load = startLoad();
    await admin("PUT", "/rules?percent=1", limited(TRIED), 1);
    const growing: Answer[] = [];
    const shares: Record<string, number> = {};
    let before = new Set<string>();
    for (const percent of [1, 10, 50, 90]) {
      if (percent > 1) await admin("PUT", "/rules/trial", { percent });
      await settle();
      growing.push(...(await load.stop()));
      const counted = await countsOf();
      const settled = await askOnce();
      growing.push(...settled);
      const tried = triedBy(settled);
      shares[`${percent} percent: clients`] = tried.size;
      // Every client has one version, wherever it asks, and keeps the new one.
      expect(settled.filter(({ user, limit }) => limit === BEFORE && tried.has(user))).toEqual([]);
      expect([...before].filter((user) => !tried.has(user))).toEqual([]);
      expect(Math.abs(tried.size / USERS.length - percent / 100)).toBeLessThan(0.1);
      before = tried;
      const after = await countsOf();
      const since = (side: "tried" | "others") => ({
        decided: after[side].decided - counted[side].decided,
        denied: after[side].denied - counted[side].denied,
      });
      expect([since("tried"), since("others")]).toEqual([
        countOf(settled, TRIED),
        countOf(settled, BEFORE),
      ]);
      load = startLoad();
    }
    await admin("PUT", "/rules/trial", { percent: 100 });
    await settle();
    growing.push(...(await load.stop()));
    expect(wentBack(growing)).toEqual([]);
    load = startLoad();
    await sleep(500);
    expect(countOf(load.answers, BEFORE).decided).toBe(0);

    await admin("POST", "/rules/rollback", { to: 1 });
    await settle();
    const until = load.answers.length;
    await sleep(1_000);
    const back = await load.stop();
    expect(countOf(back.slice(until), TRIED).decided).toBe(0);

    const all = [...growing, ...back];
    expect(all.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
    expect(all.filter(({ limit }) => limit !== TRIED && limit !== BEFORE)).toEqual([]);
    expect(countOf(all, TRIED).denied).toBeGreaterThan(0);
    figures("three workers, LIVE_REFRESH 1s", { ...shares, requests: all.length });
  },
);

test(
  "a version that denies too much is taken back by itself, under load, at every worker",
  { timeout: 60_000 },
  async () => {
    const { version } = await admin("GET", "/rules");
    const load = startLoad();
    await admin("PUT", "/rules?percent=50&max-denied=0.2", limited(TRIED), version);
    // A busy machine needs longer for a hundred decisions.
    await expect
      .poll(() => admin("GET", "/rules"), { timeout: 30_000, interval: 500 })
      .not.toHaveProperty("trial");
    await settle();
    const until = load.answers.length;
    await sleep(1_000);
    const answers = await load.stop();
    expect(countOf(answers.slice(0, until), TRIED).denied).toBeGreaterThan(0);
    expect(countOf(answers.slice(until), TRIED).decided).toBe(0);
    const [entry] = (await admin("GET", "/audit")).entries;
    expect(entry).toMatchObject({ by: "gateway", action: `take back ${version + 1}`, version });
    const { decided, denied } = entry.changes[0].before;
    expect(decided).toBeGreaterThanOrEqual(100);
    expect(denied / decided).toBeGreaterThan(0.2);
  },
);
