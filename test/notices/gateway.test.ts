import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, inject, test, vi } from "vitest";

import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { admin } from "../../src/admin/admin.ts";
import type { NoticeListener } from "../../src/features/notice-marks.ts";
import type { Platform } from "../../src/gateway.ts";
import { createGateway, type Gateway } from "../../src/gateway/gateway.ts";
import { metrics } from "../../src/metrics/metrics.ts";
import type { ConfigurationError, Fault, FaultCode } from "../../src/options/errors.ts";
import { openReceiver, type Receiver, SECRET } from "./receiver.ts";

// As at the edge, where a test can answer in the place of the origin.
vi.mock(
  "../../src/gateway/proxy/node/forward.ts",
  () => import("../../src/gateway/proxy/forward.ts"),
);

const TOKEN = "Zm9vYmFyQmF6UXV4MTIzNDU2";
const RULE = {
  path: "/api/*",
  policies: [
    { algorithm: "fixed-window", name: "daily", limit: 10, window: "1d", notify: [0.5, 0.8] },
  ],
};

const UNSENT = { NOTICE_URL: undefined, NOTICE_SECRET: undefined };

let bridge: Bridge;
let receiver: Receiver;
let prefix: string;
beforeEach(async () => {
  bridge = await startBridge({ redis: inject("redisUrl"), port: 0, token: "t", allow: ["KEYS"] });
  receiver = await openReceiver();
  prefix = crypto.randomUUID();
});
afterEach(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  await receiver.stop();
  await bridge.close();
});

/** An origin of its own that answers at once. */
function open(variables: object = {}, rule: object = RULE, platform: Platform = {}): Gateway {
  vi.spyOn(globalThis, "fetch").mockImplementation((input, init) =>
    String(input instanceof Request ? input.url : input).startsWith("http://origin.test")
      ? Promise.resolve(new Response("ok"))
      : realFetch(input, init),
  );
  return createGateway(
    {
      ORIGIN: "http://origin.test",
      UPSTASH_REDIS_REST_URL: bridge.url,
      UPSTASH_REDIS_REST_TOKEN: "t",
      TIMEOUT: "10s",
      PREFIX: prefix,
      CLIENT_IP: { trustedHops: 1 },
      RULES: [rule],
      NOTICE_URL: receiver.url,
      NOTICE_SECRET: SECRET,
      ...variables,
    },
    { admin, metrics, ...platform },
  );
}
interface Sent {
  readonly type: string;
  readonly data: { readonly consumed: number };
}

const realFetch = globalThis.fetch;

const PATIENCE = { timeout: 15_000 };

async function ask(gateway: Gateway, times = 1): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i++) {
    const headers = { "x-forwarded-for": "203.0.113.7" };
    const response = await gateway.request("http://gateway.test/api/x", { headers });
    statuses.push(response.status);
    await response.text();
  }
  return statuses;
}

/** What the metrics say of notices, once all is written. */
async function noticesOf(gateway: Gateway): Promise<string[]> {
  await gateway.flush();
  const headers = { authorization: `Bearer ${TOKEN}` };
  const url = "http://gateway.test/_tidegate/api/v1/metrics";
  const text = await (await gateway.request(url, { headers })).text();
  return text.split("\n").filter((line) => line.startsWith("tidegate_notices_"));
}

async function command(...args: unknown[]): Promise<unknown> {
  const headers = { authorization: "Bearer t" };
  const body = JSON.stringify(args);
  const response = await realFetch(bridge.url, { method: "POST", headers, body });
  return ((await response.json()) as { result: unknown }).result;
}

test("a receiver that is slow holds no request: all of them are answered before it, and no message is sent twice", async () => {
  const answers: (() => void)[] = [];
  receiver.answer = (response) => void answers.push(() => response.writeHead(204).end());
  const [one, other] = [open(), open()];
  const statuses = [...(await ask(one, 5)), ...(await ask(other, 5)), ...(await ask(one, 2))];
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429, 429]);
  await vi.waitFor(() => expect(answers).toHaveLength(3), PATIENCE);
  for (const answer of answers) answer();
  const sent = (
    receiver.received.map(({ body, headers }) =>
      new Webhook(SECRET).verify(body, headers),
    ) as Sent[]
  ).toSorted((a, b) => a.data.consumed - b.data.consumed);
  const digest = createHash("sha256").update("203.0.113.7").digest("base64url").slice(0, 22);
  const common = {
    rule: "* /api/*",
    policy: "daily",
    partition: `ip:${digest}`,
    limit: 10,
    window: 86_400,
    resetAt: new Date(Math.ceil(Date.now() / 86_400e3) * 86_400e3).toISOString(),
  };
  expect(sent.map(({ type, data }) => ({ type, data }))).toEqual([
    { type: "limit.reached", data: { ...common, share: 0.5, consumed: 5 } },
    { type: "limit.reached", data: { ...common, share: 0.8, consumed: 8 } },
    { type: "limit.denied", data: { ...common, consumed: 10 } },
  ]);
});

test("flush() waits for a notice that is being sent, and its outcome is counted", async () => {
  const answer = Promise.withResolvers<() => void>();
  receiver.answer = (response) => answer.resolve(() => void response.writeHead(204).end());
  const gateway = open({ ADMIN_TOKEN: TOKEN, METRICS_FLUSH: "10m" });
  await ask(gateway, 5);
  const send = await answer.promise;
  let isFlushed = false;
  const flushed = gateway.flush().then(() => (isFlushed = true));
  // Another request and its write of counts fit in between.
  await ask(gateway);
  expect(isFlushed).toBe(false);
  send();
  await flushed;
  expect((await noticesOf(gateway)).join()).toMatch(/total\{[^}]*told[^}]*\} 1\b/);
});

test("flush() waits until a notice is noted as told, so that no other isolate tells it again", async () => {
  const gateway = open();
  const release = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  receiver.answer = (response) => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      held.resolve();
      await release.promise;
      return realFetch(input, init);
    });
    response.writeHead(204).end();
  };
  await ask(gateway, 5);
  let isFlushed = false;
  const flushed = gateway.flush().then(() => (isFlushed = true));
  await held.promise;
  await new Promise((resolve) => setImmediate(resolve));
  expect(isFlushed).toBe(false);
  release.resolve();
  await flushed;
});

test("a receiver that is down is tried in the background, and every key that notices make expires", async () => {
  await receiver.stop();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const gateway = open();
  expect(await ask(gateway, 6)).toEqual(Array.from({ length: 6 }, () => 200));
  await vi.waitFor(async () => {
    const keys = (await command("KEYS", `${prefix}:*!*`)) as string[];
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) expect(await command("PTTL", key)).toBeGreaterThan(0);
  }, PATIENCE);
  // The tries that are left would be sent while another file runs.
  const flushed = vi.fn<() => void>();
  void gateway.flush().then(flushed);
  while (flushed.mock.calls.length === 0) {
    await sleep(10);
    await vi.advanceTimersByTimeAsync(1_000);
  }
  expect(warn).toHaveBeenCalledExactlyOnceWith(
    expect.stringContaining("NOTICE_URL did not take it"),
  );
});

test("METRICS_IDENTITIES names partitions as they are; the metrics count notices by policy, kind and result", async () => {
  const gateway = open({ METRICS_IDENTITIES: "plain", ADMIN_TOKEN: TOKEN });
  await ask(gateway, 11);
  await vi.waitFor(() => expect(receiver.received).toHaveLength(3), PATIENCE);
  expect(receiver.received[0]!.body).toContain('"partition":"ip:203.0.113.7"');
  await vi.waitFor(
    async () =>
      expect(await noticesOf(gateway)).toEqual([
        'tidegate_notices_total{policy="daily",kind="reached",result="told"} 2',
        'tidegate_notices_total{policy="daily",kind="denied",result="told"} 1',
      ]),
    PATIENCE,
  );
});

test("a function of the deployment is told, too", async () => {
  const told: unknown[] = [];
  const onNotice: NoticeListener = ({ allowed }, { name, kind }) =>
    void told.push([allowed, name, kind]);
  await ask(open(UNSENT, RULE, { onNotice }), 11);
  await vi.waitFor(
    () =>
      expect(told).toEqual([
        [true, "daily", "reached"],
        [true, "daily", "reached"],
        [false, "daily", "denied"],
      ]),
    PATIENCE,
  );
  expect(() => open({}, RULE, { onNotice: "https://hooks.example.com" as never })).toThrow(
    "onNotice",
  );
});

test("a notice that a function did not take is counted as failed", async () => {
  const onNotice = () => Promise.reject(new Error("not now"));
  vi.spyOn(console, "warn").mockReturnValue();
  const given = { ...UNSENT, ADMIN_TOKEN: TOKEN };
  const gateway = open(given, RULE, { onNotice });
  await ask(gateway, 5);
  await vi.waitFor(
    async () =>
      expect(await noticesOf(gateway)).toEqual([
        'tidegate_notices_total{policy="daily",kind="reached",result="failed"} 1',
      ]),
    PATIENCE,
  );
});

test("without any receiver, and without `notify`, no call is made for notices", async () => {
  const { notify: _notify, ...silent } = RULE.policies[0]!;
  for (const [rule, variables] of [
    [{ ...RULE, policies: [silent] }, {}],
    [RULE, UNSENT],
  ]) {
    const before = bridge.commands;
    const gateway = open({ PREFIX: crypto.randomUUID(), ...variables }, rule);
    await ask(gateway, 1);
    const first = bridge.commands - before;
    await ask(gateway, 9);
    expect(bridge.commands - before).toBe(first + 9);
  }
  expect(receiver.received).toEqual([]);
});

test.each<[variable: string, code: FaultCode, variables: object]>([
  ["NOTICE_URL", "shape", { NOTICE_URL: "ftp://hooks.example.com" }],
  ["NOTICE_URL", "shape", { NOTICE_URL: "https://user:pw@hooks.example.com" }],
  ["NOTICE_URL", "missing", { NOTICE_URL: undefined }],
  ["NOTICE_SECRET", "missing", { NOTICE_SECRET: "" }],
  ["NOTICE_SECRET", "shape", { NOTICE_SECRET: "whsec_c2hvcnQ=" }],
  ["NOTICE_SECRET", "shape", { NOTICE_SECRET: `${SECRET} ${SECRET} ${SECRET}` }],
  [
    "RULES[0].policies[0].notify",
    "range",
    { RULES: [{ ...RULE, policies: [{ ...RULE.policies[0], notify: 80 }] }] },
  ],
])("%s is a fault: %s", (path, code, variables) => {
  let faults: readonly Fault[] = [];
  try {
    open(variables);
  } catch (error) {
    ({ faults } = error as ConfigurationError);
  }
  expect(faults).toMatchObject([{ path, code }]);
  expect(JSON.stringify(faults)).not.toMatch(/user:pw|c2hvcnQ|whsec_MDEy/);
});
