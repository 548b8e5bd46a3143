import { setTimeout as sleep } from "node:timers/promises";

import type { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import type { LiveKeys } from "../../src/store/control/live-keys.ts";
import { limited } from "../support/live/live-gateway.ts";
import { startFleet } from "./fleet.ts";

/*
 * Every state of the live keys that a fault or a hand can make: the rules that an older and a new isolate enforce, the answer of
 * health, and that the admin API mends it. Before the fault, version 2 allows 30 requests, and "mal" is blocked.
 */

interface State {
  readonly what: string;
  readonly plant: (redis: Redis, keys: LiveKeys) => Promise<unknown>;
  /** What GET /rules says is published. Default: version 2. */
  readonly published?: number;
  /** The answers of a new isolate to ada and mal. Default: those of before the fault. */
  readonly fresh?: readonly [ada: string, mal: string];
  /** The fault, as a new isolate and an older one report it. Default: none. */
  readonly freshError?: RegExp;
  readonly oldError?: RegExp;
  /** Whether the older isolate puts back what is lost. Until then a new one does not know that anything is. */
  readonly isPutBack?: boolean;
  /** The answer of an older isolate to mal. Default: that he is blocked. */
  readonly old?: string;
  /** The key that another program has: writes are refused until it has gone. */
  readonly foreign?: keyof LiveKeys;
}

const DEPLOYED = "200 5";
const PUBLISHED = "200 30";
const BLOCKED = "403";

/** Plants something, and a revision that says so. */
const revised =
  (plant: State["plant"]): State["plant"] =>
  async (redis, keys) => {
    await plant(redis, keys);
    await redis.hset(keys.state, "revision", Date.now() * 1000 + 1_000);
  };

const withDocument = (text: string) =>
  revised((redis, { state }) => redis.hset(state, "document", text));

const bothReport = (error: RegExp) => ({ freshError: error, oldError: error });
const IMPOSSIBLE = ["1e308", "9007199254740991", "abc", "-3"];
const LOST = { fresh: [DEPLOYED, DEPLOYED], isPutBack: true } as const;

const STATES: readonly State[] = [
  { what: "nothing is wrong", plant: async () => {} },
  { what: "all keys are gone", plant: (redis, keys) => redis.del(...Object.values(keys)), ...LOST },
  {
    what: "the state is gone, the entries are not",
    plant: (redis, { state }) => redis.del(state),
    ...LOST,
  },
  {
    what: "the state is of another type",
    plant: (redis, { state }) => redis.del(state).then(() => redis.set(state, "x")),
    published: 0,
    foreign: "state",
    fresh: [DEPLOYED, DEPLOYED],
    ...bothReport(/not read.*WRONGTYPE/),
  },
  {
    what: "the document is no JSON",
    plant: withDocument('{"rules": [secret'),
    freshError: /has faults.*it is no JSON.*Version 2 is in force/,
    oldError: /has faults/,
  },
  {
    what: "the document is gone, its version is not",
    plant: revised((redis, { state }) => redis.hdel(state, "document")),
    freshError: /without a document.*Version 2 is in force/,
    oldError: /without a document/,
  },
  {
    what: "the document has faults, and no history is left",
    plant: async (redis, keys) => {
      await redis.del(keys.history);
      await withDocument('{"rules": 7}')(redis, keys);
    },
    fresh: [DEPLOYED, BLOCKED],
    freshError: /has faults.*The rules of before stay in force/,
    oldError: /has faults/,
  },
  ...IMPOSSIBLE.map((revision): State => ({
    what: `the revision is ${revision}`,
    plant: (redis, { state }) => redis.hset(state, "revision", revision),
    ...bothReport(/revision .* is nothing that Tidegate writes/),
  })),
  {
    what: "the document has more bytes than one may have",
    plant: withDocument(`"${"x".repeat(900_000)}"`),
    freshError: /has faults.*Version 2 is in force/,
    oldError: /has faults/,
  },
  {
    what: "the document asks for an algorithm of a later version",
    plant: withDocument(JSON.stringify(limited(30)).replace("fixed", "new")),
    freshError: /has faults.*algorithm.*Version 2 is in force/,
    oldError: /has faults/,
  },
  {
    what: "Redis has an older copy",
    plant: async (redis, { state, history }) => {
      const { document } = JSON.parse((await redis.hget(history, "1"))!) as { document: object };
      await redis.hset(state, { version: 1, revision: 1_000, document: JSON.stringify(document) });
    },
    fresh: ["200 20", BLOCKED],
    isPutBack: true,
  },
  {
    what: "the revision is gone",
    plant: (redis, { state }) => redis.hdel(state, "revision"),
    ...bothReport(/revision .* is gone/),
  },
  {
    what: "the moment of publishing is no number",
    plant: revised((redis, { state }) => redis.hset(state, "publishedAt", "abc")),
  },
  {
    what: "the entries are gone",
    plant: revised((redis, { entries }) => redis.del(entries)),
    fresh: [PUBLISHED, PUBLISHED],
    old: PUBLISHED,
  },
  ...IMPOSSIBLE.map((version): State => ({
    what: `the version is ${version}`,
    plant: revised((redis, { state }) => redis.hset(state, "version", version)),
    isPutBack: true,
  })),
  {
    what: "the entries are of another type",
    plant: revised((redis, { entries }) =>
      redis.del(entries).then(() => redis.rpush(entries, "x")),
    ),
    foreign: "entries",
    fresh: [PUBLISHED, PUBLISHED],
    ...bothReport(/entries .* of a type/),
  },
  {
    what: "foreign entries stand among the others",
    plant: revised((redis, { entries }) =>
      redis.hset(entries, {
        "deny:x": "{",
        "deny:y": "7",
        odd: "{}",
        "deny:z": '{"entry":7}',
        "deny:dateless": '{"entry":{"identity":"x-user-id:dan"}}',
        "deny:endless": '{"entry":{"until":1e300,"identity":"x-user-id:eli"},"at":"x","by":{}}',
      }),
    ),
  },
  {
    what: "history, draft and audit have records that Tidegate does not write",
    plant: async (redis, { history, draft, audit }) => {
      const head = '"publishedAt":"x","by":"me","document":{}}';
      await redis.hset(history, { 7: `{"version":"x",${head}`, 8: `{"version":8,${head}`, x: "{" });
      await redis.set(draft, '{"document":{}}');
      const dateless = '{"action":"y","by":"me","at":1e300}';
      await redis.lpush(audit, "7", "{", "{}", '{"action":"x"}', dateless);
    },
  },
  ...(["history", "draft", "audit"] as const).map((name): State => ({
    what: `the ${name} is of another type`,
    foreign: name,
    plant: (redis, { [name]: key }) => redis.del(key).then(() => redis.zadd(key, 1, "x")),
  })),
];

let logged: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  // Only the clock by which isolates know that it is time to read again.
  vi.useFakeTimers({ toFake: ["performance"] });
  logged = vi.spyOn(console, "warn").mockImplementation(() => {});
});
afterEach(() => {
  vi.useRealTimers();
  logged.mockRestore();
});

describe.each(STATES)("where $what", (state) => {
  const { plant, published = 2, fresh = [PUBLISHED, BLOCKED], freshError, oldError } = state;
  const { old: toldMal = BLOCKED, foreign, isPutBack = false } = state;

  test("isolates enforce the intact parts, report the faults, and a publication mends it", async () => {
    const { redis, keys, isolate } = await startFleet();
    const old = isolate({ LIVE_REFRESH: "1s" });
    for (const [version, limit] of [20, 30].entries()) {
      const headers = { "If-Match": `"${version}"` };
      expect((await old.api("PUT", "/rules", limited(limit), headers)).status).toBe(200);
    }
    const mal = { identity: "x-user-id:mal" };
    expect((await old.api("PUT", "/lists/deny", mal)).status).toBe(200);
    await plant(redis, keys);

    const anew = isolate();
    expect([await anew.ask("ada"), await anew.ask("mal")]).toEqual(fresh);
    const told = await anew.api("GET", "/health");
    expect([told.status, told.body.status]).toEqual([200, freshError ? "degraded" : "ok"]);
    if (freshError) expect(told.body.live.error).toMatch(freshError);
    expect(JSON.parse(await anew.own("/health")).status).toBe(told.body.status);
    expect(await anew.own("/api/v1/metrics")).toContain(
      `\ntidegate_config_error ${freshError ? 1 : 0}\n`,
    );
    expect(JSON.stringify(told.body)).not.toContain("secret");

    // The older isolate keeps its rules, and says so after its next read.
    vi.advanceTimersByTime(1_010);
    await old.ask("ada");
    if (oldError) {
      await expect
        .poll(async () => (await old.api("GET", "/health")).body.live.error)
        .toMatch(oldError);
      expect(logged.mock.calls.flat().join("\n")).toMatch(oldError);
    } else {
      if (isPutBack)
        await expect.poll(() => logged.mock.calls.flat().join("\n")).toMatch(/had lost/);
      else await sleep(100);
      const { status, live } = (await old.api("GET", "/health")).body;
      expect([live.error, status]).toEqual([undefined, isPutBack ? "degraded" : "ok"]);
      expect(live.restoredAt !== undefined).toBe(isPutBack);
    }
    expect([await old.ask("bob"), await old.ask("mal")]).toEqual(["200 30", toldMal]);
    const held = (await old.api("GET", "/rules?held")).body;
    expect(held.document.rules).toEqual(limited(30).rules);

    const eve = { identity: "x-user-id:eve" };
    if (foreign) {
      // Another program's key is left to it.
      const isOfEntries = foreign === "entries";
      const refused = await anew.api(
        "PUT",
        isOfEntries ? "/lists/deny" : "/rules",
        isOfEntries ? eve : limited(40),
        isOfEntries ? {} : { "If-Match": `"${published}"` },
      );
      expect([refused.status, refused.body.code]).toEqual([503, "ERR_STORE_FOREIGN"]);
      expect(refused.body.detail).toContain(keys[foreign]);
      expect(await redis.del(keys[foreign])).toBe(1);
    }

    // A change that is answered with 200 is in force in a new isolate.
    expect((await anew.api("PUT", "/lists/deny", eve)).status).toBe(200);
    expect(await isolate().ask("eve")).toBe(BLOCKED);
    expect((await anew.api("GET", "/lists/deny")).status).toBe(200);

    // And a publication mends everything.
    const { status, body } = await anew.api("GET", "/rules");
    expect([status, body.version]).toEqual([200, published]);
    for (const path of ["/rules/history", "/audit", "/lists/deny", "/overrides"]) {
      expect([path, (await anew.api("GET", path)).status]).toEqual([path, 200]);
    }
    const headers = { "If-Match": `"${body.version}"` };
    expect((await anew.api("PUT", "/rules/draft", limited(40), headers)).status).toBe(200);
    expect((await anew.api("PUT", "/rules", limited(40), headers)).status).toBe(200);
    const mended = isolate();
    expect([await mended.ask("ada"), await mended.ask("eve")]).toEqual(["200 40", BLOCKED]);
    const health = await mended.api("GET", "/health");
    expect([health.body.status, health.body.live.error]).toEqual(["ok", undefined]);
    expect((await mended.api("GET", "/rules/history")).body.versions[0].version).toBe(
      (await mended.api("GET", "/rules")).body.version,
    );
    vi.advanceTimersByTime(1_010);
    await old.ask("ada");
    await expect.poll(() => old.ask("bob")).toBe("200 40");
  });
});

test("rules that cannot be put back stay in force where they are held, can be read there, and are put back once they can", async () => {
  const { redis, keys, isolate } = await startFleet();
  const old = isolate();
  await old.api("PUT", "/rules", limited(20), { "If-Match": '"0"' });
  await old.api("PUT", "/lists/deny", { identity: "x-user-id:mal" });
  await redis.del(...Object.values(keys));
  await redis.set(keys.history, "of another program");
  const { version, source, document } = (await old.api("GET", "/rules?held")).body;
  expect([version, source, document.lists]).toEqual([
    1,
    "live",
    { allow: [], deny: [{ identity: "x-user-id:mal" }] },
  ]);
  expect((await old.api("GET", "/rules")).body.version).toBe(0);
  expect([await old.ask("ada"), await old.ask("mal")]).toEqual(["200 20", BLOCKED]);
  const { live } = (await old.api("GET", "/health")).body;
  expect(live.error).toMatch(
    /could not be put back: The key .*history.* is of the type string.*--held/,
  );
  expect(await redis.exists(keys.state)).toBe(0);

  await redis.del(keys.history);
  expect((await old.api("GET", "/rules")).body.version).toBe(1);
  const anew = isolate();
  expect([await anew.ask("ada"), await anew.ask("mal")]).toEqual(["200 20", BLOCKED]);
  expect((await old.api("GET", "/health")).body.live.error).toBeUndefined();
});
