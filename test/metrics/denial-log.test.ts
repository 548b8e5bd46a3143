import { expect, onTestFinished, test, vi } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { createDenialLog } from "../../src/metrics/denial-log.ts";
import { hash } from "../../src/partition/key-text.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { quota, startOrigin } from "../support/gateway/gateway.ts";
import { decisionOf } from "../support/metrics/decision-of.ts";

const MINUTE = 60_000;
const MORNING = Date.UTC(2031, 0, 1, 9);

const api = compilePolicy(fixedWindow({ name: "api", limit: 1, window: "1d" }));
const RULES = [
  { route: { methods: ["GET"], path: "/other" }, settings: { policies: [] } },
  { route: { methods: ["GET"], path: "/api/*" }, settings: { policies: [api] } },
];

const decided = (allowed: boolean) =>
  decisionOf([api], { rows: [{ allowed, remaining: 0, retryAfterUs: 1, resetAfterUs: 1 }] });

/** A log with a clock of its own. */
function startLog(identities: "hashed" | "plain" = "plain") {
  const clock = { ms: MORNING };
  const lines: Record<string, unknown>[] = [];
  const texts: string[] = [];
  const log = createDenialLog({
    identities,
    wallNow: () => clock.ms,
    write(line) {
      texts.push(line);
      lines.push(JSON.parse(line) as Record<string, unknown>);
    },
  });
  const deny = (identity: string, times = 1) => {
    for (let i = 0; i < times; i++) log.note(RULES, decided(false), { "": identity });
  };
  return { log, clock, lines, texts, deny };
}

test("each partition and minute has one line, which counts its denials", async () => {
  const { log, clock, lines, deny } = startLog();
  deny("ada", 3);
  clock.ms += 10_000;
  deny("bob", 2);
  deny("ada", 4);
  expect(log.isDue()).toBe(false);
  clock.ms = MORNING + MINUTE - 1;
  expect(log.isDue()).toBe(false);
  clock.ms++;
  expect(log.isDue()).toBe(true);
  await log.writeDue();
  expect(log.isDue()).toBe(false);
  const of = { policy: "api", rule: "GET /api/*" };
  expect(lines).toEqual([
    { ...of, partition: "ada", count: 7, firstAt: "2031-01-01T09:00:00.000Z" },
    { ...of, partition: "bob", count: 2, firstAt: "2031-01-01T09:00:10.000Z" },
  ]);
});

test("a request that is denied in the next minute does not end up in the one it began in", async () => {
  const { log, clock, lines, deny } = startLog();
  deny("ada");
  clock.ms += MINUTE;
  deny("ada", 2);
  expect(log.isDue()).toBe(true);
  await log.writeDue();
  expect(lines.map(({ count }) => count)).toEqual([1]);
  deny("ada", 3);
  clock.ms += MINUTE;
  expect(log.isDue()).toBe(true);
  await log.writeDue();
  expect(lines.map(({ count }) => count)).toEqual([1, 5]);
});

test("a minute names a hundred partitions, and counts the denials of the others", async () => {
  const { log, clock, lines, deny } = startLog();
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 150; i++) {
      clock.ms++;
      deny(`client-${i}`);
    }
  }
  await log.flush();
  expect(lines).toHaveLength(101);
  expect(lines.slice(0, 100).every(({ count }) => count === 2)).toBe(true);
  // The first one without room came after a hundred and one milliseconds.
  expect(lines[100]).toEqual({ others: 100, firstAt: "2031-01-01T09:00:00.101Z" });
  deny("client-149");
  await log.flush();
  expect(lines.at(-1)).toMatchObject({ partition: "client-149", count: 1 });
});

test("a request that is allowed, or that no policy counted, has no line", async () => {
  const { log, clock } = startLog();
  log.note(RULES, decided(true), { "": "ada" });
  log.note(RULES, decided(false), undefined);
  clock.ms += MINUTE;
  expect(log.isDue()).toBe(false);
});

test("addresses are hashed, unless they are to be named", async () => {
  const [hashed, plain] = [startLog("hashed"), startLog("plain")];
  for (const { log, deny } of [hashed, plain]) {
    deny("ip:192.0.2.1");
    await log.flush();
  }
  expect(hashed.lines[0]!["partition"]).toBe(`ip:${(await hash("192.0.2.1")).slice(0, 22)}`);
  expect(hashed.texts.join("")).not.toContain("192.0.2.1");
  expect(plain.lines[0]!["partition"]).toBe("ip:192.0.2.1");
});

test.each([
  "line\nbreak\r\u0000\u001B[31m",
  '"}, {"policy": "other"',
  "\u2028\u202Ereversed\uD800",
  "x".repeat(8_192),
])("a hostile identity stays within one short line of printable ASCII: %j", async (identity) => {
  const { log, texts, lines, deny } = startLog();
  deny(identity, 2);
  await log.flush();
  expect(texts).toHaveLength(1);
  expect(texts[0]).toMatch(/^[ -~]{1,300}$/);
  expect(lines[0]).toMatchObject({ policy: "api", count: 2 });
});

test("the names of a rule are escaped, too", async () => {
  const { log, texts, lines } = startLog();
  const path = "/\u2028é\u009B";
  const rule = { route: { methods: ["GET"], path }, settings: { policies: [api] } };
  log.note([rule], decided(false), { "": "ada" });
  await log.flush();
  expect(texts[0]).toMatch(/^[ -~]+$/);
  expect(lines[0]!["rule"]).toBe("GET /\u2028é%u009b");
});

/** A gateway, and what it has logged. */
async function startGateway(rules: readonly object[], variables: object = {}) {
  const logged = vi.spyOn(console, "log").mockImplementation(() => {});
  onTestFinished(() => logged.mockRestore());
  const gateway = createGateway({
    ORIGIN: (await startOrigin()).url,
    STORE: "memory",
    CLIENT_IP: "cloudflare",
    METRICS_IDENTITIES: "plain",
    RULES: rules,
    ...variables,
  });
  return {
    flush: () => gateway.flush(),
    lines: () => logged.mock.calls.map(([line]) => JSON.parse(String(line)) as unknown),
    ask: async (ip: string, path = "/api/x") =>
      (await gateway.request(path, { headers: { "cf-connecting-ip": ip } })).status,
  };
}

test("a gateway logs whom it denies with the first request of another minute, and the rest at its end", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: MORNING });
  onTestFinished(() => void vi.useRealTimers());
  const rules = [
    { path: "/*", policies: [quota("all", 100)] },
    { path: "/api/*", policies: [quota("api", 3)] },
  ];
  const { ask, flush, lines } = await startGateway(rules, { DENIAL_LOG: "on" });
  for (let i = 0; i < 8; i++) await ask("192.0.2.1");
  for (let i = 0; i < 5; i++) await ask("192.0.2.2");
  expect(lines()).toEqual([]);
  vi.setSystemTime(MORNING + MINUTE);
  expect(await ask("192.0.2.2", "/free")).toBe(200);
  expect(await ask("192.0.2.2")).toBe(429);
  const firstAt = "2031-01-01T09:00:00.000Z";
  const first = [
    { policy: "api", partition: "ip:192.0.2.1", rule: "* /api/*", count: 5, firstAt },
    { policy: "api", partition: "ip:192.0.2.2", rule: "* /api/*", count: 2, firstAt },
  ];
  await vi.waitFor(() => expect(lines()).toEqual(first));
  await flush();
  const last = { ...first[1], count: 1, firstAt: "2031-01-01T09:01:00.000Z" };
  expect(lines()).toEqual([...first, last]);
});

test("a gateway that is not asked to logs nothing", async () => {
  const { ask, flush, lines } = await startGateway([{ path: "/*", policies: [quota("all", 1)] }]);
  for (let i = 0; i < 3; i++) await ask("192.0.2.1");
  await flush();
  expect(lines()).toEqual([]);
});
