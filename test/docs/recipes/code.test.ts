import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, onTestFinished, test, vi } from "vitest";

import type { Limiter } from "../../../src/index.ts";
import { codeBlocks } from "../code-blocks.ts";
import {
  type Client,
  DOCUMENT,
  passing as passingOf,
  requestOf,
  runInMemory,
  runOnRedis,
  runProgram,
  useRecipes,
} from "../recipes.ts";

interface App {
  readonly default: { fetch(request: Request): Promise<Response> };
}

const folder = useRecipes("code");

/** A name that no earlier run has used, because a Redis may be kept. */
const unique = () => randomBytes(6).toString("hex");
const address = () =>
  `2001:db8:${randomBytes(2).toString("hex")}:${randomBytes(2).toString("hex")}::1`;

/** Stops the clock in the middle of an hour, so that no window ends by chance. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2030-01-01T12:30:00Z") });
}

/** How many of these requests a recipe's app answers with 200; the others get a 429. */
const passing = (
  { default: app }: App,
  count: number,
  path: string,
  clientOf: (i: number) => Client,
) => passingOf(async (...asked) => app.fetch(requestOf(...asked)), count, path, clientOf);

test("the recipes in TypeScript are all here", () => {
  expect(codeBlocks(DOCUMENT).filter(({ language }) => language === "ts")).toHaveLength(11);
});

describe("Logins by address and account, on Redis", () => {
  const title = "Logins by address and account";
  const login = (ip: string, account: string, password = "wrong"): Client => {
    return { ip, method: "POST", body: new URLSearchParams({ account, password }) };
  };

  /** How many of these tries get as far as the password. */
  async function tried({ default: app }: App, count: number, tryOf: (i: number) => Client) {
    const answers = Array.from({ length: count }, async (_, i) => {
      return (await app.fetch(requestOf("/login", tryOf(i)))).status;
    });
    return (await Promise.all(answers)).filter((status) => status !== 429).length;
  }

  test("five failures for an account pass, in any spelling, from any address, and at once", async () => {
    const app = await runOnRedis<App>(title, folder);
    const account = unique();
    const spellings = [account, account.toUpperCase(), ` ${account} `];
    expect(await tried(app, 30, (i) => login(address(), spellings[i % 3]!))).toBe(5);
  });

  test("twenty failures from an address pass, and denied tries take nothing of them", async () => {
    const app = await runOnRedis<App>(title, folder);
    const [ip, account] = [address(), unique()];
    expect(await tried(app, 8, () => login(ip, account))).toBe(5);
    expect(await tried(app, 25, (i) => login(ip, `${account}-${i}`))).toBe(15);
    const denied = await app.default.fetch(requestOf("/login", login(address(), account)));
    expect([denied.status, denied.headers.get("RateLimit-Policy")]).toEqual([
      429,
      '"by-address";q=20;w=600, "by-account";q=5;w=600',
    ]);
    expect(denied.headers.get("Retry-After")).toBe("1");
  });

  test("good tries take nothing", async () => {
    const app = await runOnRedis<App>(title, folder);
    const [ip, account] = [address(), unique()];
    const good = () => login(ip, account, `secret of ${account}`);
    expect(await passing(app, 30, "/login", good)).toBe(30);
    expect(await tried(app, 8, () => login(ip, account))).toBe(5);
  });
});

test("API keys with plans, on Redis: a plan that was bought counts at once, and keeps the consumed units", async () => {
  const { customers, ...app } = await runOnRedis<
    App & { readonly customers: Map<string, { id: string; plan?: string }> }
  >("API keys with plans", folder);
  const [id, key] = [unique(), unique()];
  const ada = { headers: { "x-api-key": key } };
  const left = async (client: Client) => {
    const { status, headers } = await app.default.fetch(requestOf("/", client));
    return [status, headers.get("X-RateLimit-Limit"), headers.get("X-RateLimit-Remaining")];
  };
  customers.set(key, { id });
  expect(await passing(app, 79, "/", () => ada)).toBe(79);
  expect(await left(ada)).toEqual([200, "100", "20"]);
  customers.set(key, { id, plan: "pro" });
  expect(await left(ada)).toEqual([200, "1000", "919"]);
  expect(await passing(app, 30, "/", () => ada)).toBe(30);
  customers.set(key, { id });
  expect(await left(ada)).toEqual([429, "100", "0"]);
  customers.set(key, { id, plan: "pro" });
  expect(await left(ada)).toEqual([200, "1000", "888"]);
  expect(await left({ headers: { "x-api-key": "made up" } })).toEqual([400, null, null]);
});

describe("windows of a calendar", () => {
  /** The clocks of the store and of the isolate. */
  const startAt = (moment: string) =>
    vi.useFakeTimers({ toFake: ["Date", "performance"], now: Date.parse(moment) });
  const goOnTo = (moment: string) => vi.advanceTimersByTime(Date.parse(moment) - Date.now());

  test("A month of each subscription: each customer has 1,000 from the own day on", async () => {
    startAt("2030-02-27T23:59:00Z");
    const app = await runInMemory<App>("A month of each subscription", folder);
    const of = (key: string) => () => ({ headers: { "x-api-key": key } });
    expect(await passing(app, 1001, "/", of("key-of-ada"))).toBe(1000);
    expect(await passing(app, 1001, "/", of("key-of-bob"))).toBe(1000);
    const denied = await app.default.fetch(requestOf("/", of("key-of-ada")()));
    expect(denied.headers.get("retry-after")).toBe("60");
    const left = async (key: string) => {
      const { headers } = await app.default.fetch(requestOf("/", of(key)()));
      return headers.get("x-ratelimit-remaining");
    };
    goOnTo("2030-02-28T00:00:00Z");
    expect([await left("key-of-ada"), await left("key-of-bob")]).toEqual(["999", "0"]);
    goOnTo("2030-03-15T00:00:00Z");
    expect([await left("key-of-ada"), await left("key-of-bob")]).toEqual(["998", "999"]);
    goOnTo("2030-03-31T00:00:00Z");
    expect([await left("key-of-ada"), await left("key-of-bob")]).toEqual(["999", "998"]);
    expect((await app.default.fetch(requestOf("/", of("made up")()))).status).toBe(400);
  });

  test("Each customer's midnight: the day of Berlin has 23 hours when the clocks change", async () => {
    startAt("2030-03-30T22:59:00Z");
    const { limitCustomer } = await runInMemory<{
      limitCustomer(customer: object): Promise<{ allowed: boolean; retryAfterMs: number }>;
    }>("Each customer's midnight", folder);
    const passed = async (id: string, zone: string) => {
      let count = 0;
      for (let i = 0; i < 101; i++) count += Number((await limitCustomer({ id, zone })).allowed);
      return count;
    };
    expect(await passed("ada", "Europe/Berlin")).toBe(100);
    expect(await passed("bob", "America/New_York")).toBe(100);
    expect(await passed("eve", "Mars/Base")).toBe(100);
    expect((await limitCustomer({ id: "ada", zone: "Europe/Berlin" })).retryAfterMs).toBe(60_000);
    goOnTo("2030-03-30T23:00:00Z");
    expect(await passed("ada", "Europe/Berlin")).toBe(100);
    goOnTo("2030-03-31T00:00:00Z");
    expect(await passed("eve", "Mars/Base")).toBe(100);
    goOnTo("2030-03-31T04:00:00Z");
    expect(await passed("bob", "America/New_York")).toBe(100);
    goOnTo("2030-03-31T21:59:59Z");
    expect(await passed("ada", "Europe/Berlin")).toBe(0);
    goOnTo("2030-03-31T22:00:00Z");
    expect(await passed("ada", "Europe/Berlin")).toBe(100);
  });
});

test("Budgets in money, with a notice: both budgets or none, and one message for each share", async () => {
  stopClock();
  const sent: { kind: string; name: string; consumed: number }[] = [];
  vi.stubGlobal("fetch", async (url: string, { body }: { body: string }) => {
    expect(url).toBe("https://hooks.example.com/budgets");
    sent.push(JSON.parse(body) as (typeof sent)[0]);
    return new Response(null, { status: 204 });
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const { spend } = await runInMemory<{
    spend(client: object, amount: number): Promise<{ allowed: boolean }>;
  }>("Budgets in money, with a notice", folder);
  const [one, other] = ["a", "b"].map((key) => ({ key, team: "t" }));
  for (let i = 0; i < 50; i++) expect((await spend(one!, 0.8)).allowed).toBe(true);
  expect((await spend(other!, 9)).allowed).toBe(true);
  expect((await spend(other!, 1.000001)).allowed).toBe(false);
  expect((await spend(other!, 1)).allowed).toBe(true);
  const names = () => sent.map(({ kind, name, consumed }) => `${name} ${kind} ${consumed}`);
  await vi.waitFor(() => expect(sent).toHaveLength(3));
  expect(names().toSorted()).toEqual([
    "budget-of-key reached 40000000",
    "budget-of-team denied 49000000",
    "budget-of-team reached 40000000",
  ]);
});

test("GraphQL by cost: a query denied for its points is not counted as one, and never more than 1,000 points pass", async () => {
  stopClock();
  const app = await runInMemory<App>("GraphQL by cost", folder);
  const ask = async (first: number) => {
    const body = JSON.stringify({ query: `{ rides(first: ${first}) { id } }` });
    const client = { method: "POST", body };
    const { status, headers } = await app.default.fetch(requestOf("/graphql", client));
    const fields = ["RateLimit", "X-RateLimit-Reason"].map((name) => headers.get(name));
    return [status, ...fields];
  };
  for (let query = 1; query < 9; query++) expect((await ask(100))[0]).toBe(200);
  expect(await ask(100)).toEqual([200, '"queries";r=11;t=1, "points";r=91;t=60', null]);
  expect(await ask(100)).toEqual([429, '"queries";r=11;t=1, "points";r=91;t=60', "cached-denial"]);
  expect(await ask(5_000_000)).toEqual([429, expect.any(String), "cost-exceeds-limit"]);
  expect(await ask(90)).toEqual([200, '"queries";r=10;t=1, "points";r=0;t=60', null]);
});

test("A ceiling for everybody: the library counts every client", async () => {
  stopClock();
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const { limiter } = await runInMemory<{ limiter: Limiter }>("A ceiling for everybody", folder);
  expect(log.mock.calls).toEqual([["client 19,everybody 499"]]);
  let passed = 1;
  for (let i = 0; i < 600; i++) {
    const { allowed } = await limiter.limit({ ip: `192.0.2.${i % 200}` });
    if (allowed) passed++;
  }
  expect(passed).toBe(500);
});

test("Trying a limit first: a shadow policy says what it would have done, and clients see nothing", async () => {
  stopClock();
  const log = vi.spyOn(console, "log").mockImplementation(() => {});
  const app = await runInMemory<App>("Trying a limit first", folder);
  expect(await passing(app, 150, "/", () => ({}))).toBe(150);
  expect(log.mock.calls).toHaveLength(50);
  expect(log).toHaveBeenCalledWith("stricter would have denied this request");
  const { headers } = await app.default.fetch(requestOf("/"));
  expect(headers.get("RateLimit")).toBe('"hourly";r=849;t=1800');
  expect(headers.get("RateLimit-Policy")).toBe('"hourly";q=1000;w=3600');
  expect(await passing(app, 1000, "/", () => ({}))).toBe(849);
  expect(log.mock.calls).toHaveLength(50 + 1 + 849);
});

test("Would another limit have denied more?: a replay prints the denials of each limit, by the clock of the log", async () => {
  const nine = Date.parse("2030-01-07T09:00:00Z");
  const requests = (client: string, count: number, fromMs: number) =>
    Array.from({ length: count }, (_, i) => ({ client, ms: fromMs + i * 1000 }));
  const lines = [
    ...requests("192.0.2.1", 1_200, nine),
    ...requests("192.0.2.2", 150, nine),
    // The next hour has a window of its own.
    ...requests("192.0.2.1", 100, nine + 3_600_000),
  ]
    .toSorted((one, other) => one.ms - other.ms)
    .map(({ client, ms }) => JSON.stringify({ time: new Date(ms).toISOString(), client }));
  const log = join(folder, "requests.jsonl");
  writeFileSync(log, lines.join("\n"));
  const printed = vi.spyOn(console, "log").mockImplementation(() => {});
  await runProgram("Would another limit have denied more?", folder, [log]);
  const text = printed.mock.calls.map(([line]) => String(line)).join("\n");
  expect(text).toBe(
    "limit 1000: 200 requests denied, clients denied: 1\nlimit 100: 1150 requests denied, clients denied: 2",
  );
  expect(readFileSync(DOCUMENT, "utf8")).toContain(`\n\`\`\`text\n${text}\n`);
});
