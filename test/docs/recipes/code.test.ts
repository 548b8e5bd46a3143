import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";

import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  test,
  vi,
} from "vitest";

import type { Limiter } from "../../../src/index.ts";
import { codeBlocks } from "../../support/docs/code-blocks.ts";
import {
  type Client,
  DOCUMENT,
  folderFor,
  requestOf,
  runOnRedis,
  runInMemory,
} from "../../support/docs/recipes.ts";

interface App {
  readonly default: { fetch(request: Request): Promise<Response> };
}

const folder = folderFor("code");

beforeAll(() => {
  vi.stubEnv("UPSTASH_REDIS_REST_URL", inject("redisRestUrl"));
  vi.stubEnv("UPSTASH_REDIS_REST_TOKEN", inject("redisRestToken"));
});
beforeEach(() => {
  // A module counts, so each test imports its own.
  vi.resetModules();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

/** A name that no earlier run has used, because a Redis may be kept. */
const unique = () => randomBytes(6).toString("hex");
const address = () =>
  `2001:db8:${randomBytes(2).toString("hex")}:${randomBytes(2).toString("hex")}::1`;

/** Stops the clock in the middle of an hour, so that no window ends by chance. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2030-01-01T12:30:00Z") });
}

/** How many of these requests a recipe's app answers with 200; the others get a 429. */
async function passing(
  { default: app }: App,
  count: number,
  path: string,
  clientOf: (i: number) => Client,
): Promise<number> {
  let passed = 0;
  for (let i = 0; i < count; i++) {
    const { status } = await app.fetch(requestOf(path, clientOf(i)));
    expect([200, 429]).toContain(status);
    if (status === 200) passed++;
  }
  return passed;
}

test("the recipes in TypeScript are all here", () => {
  expect(codeBlocks(DOCUMENT).filter(({ language }) => language === "ts")).toHaveLength(7);
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

test("API keys with plans, on Redis: a plan that was bought counts at once, and keeps what was consumed", async () => {
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

test("GraphQL by cost: what is denied for its points is no query either, and never more than 1,000 points pass", async () => {
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

test("A ceiling for everybody: the library counts whoever asks", async () => {
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
