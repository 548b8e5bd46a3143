import { rmSync } from "node:fs";

import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";

import { type Client, folderFor, gatewayOf, passing } from "../recipes.ts";

// As at the edge, where a test can answer in the place of the origin.
vi.mock(
  "../../../src/gateway/proxy/node/forward.ts",
  () => import("../../../src/gateway/proxy/forward.ts"),
);

const folder = folderFor("rules");

/** The origin's record of each request. */
let over: (string | null)[];
/** Its answer. */
let answer: number;

beforeEach(() => {
  // In the middle of an hour, so that no window ends by chance.
  const now = Date.parse("2030-01-01T12:30:00Z");
  vi.useFakeTimers({ toFake: ["Date", "performance"], now });
  over = [];
  answer = 200;
  // Thousands of requests pass, and these tests are not about the way to an origin.
  vi.stubGlobal("fetch", async ({ headers }: Request) => {
    over.push(headers.get("tidegate-over"));
    return new Response("origin", { status: answer });
  });
});
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  rmSync(folder, { recursive: true, force: true });
});

const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1000);

function recipe(title: string) {
  const ask = gatewayOf(title, folder);
  return {
    ask,
    /** How many of these requests pass. */
    passing: (count: number, path: string, clientOf: (i: number) => Client) =>
      passing(ask, count, path, clientOf),
  };
}

describe("Logins by address and account", () => {
  /** How many of these tries reach the origin, which answers with this status. */
  async function tried(
    count: number,
    status: number,
    tryOf: (i: number) => readonly [string, Client],
  ) {
    answer = status;
    over = [];
    for (let i = 0; i < count; i++) {
      const [path, client] = tryOf(i);
      await (await logins.ask(path, { method: "POST", ...client })).text();
    }
    return over.length;
  }
  const of = (account: string, ip = "192.0.2.1") => [`/accounts/${account}/login`, { ip }] as const;
  let logins: ReturnType<typeof recipe>;
  beforeEach(() => {
    logins = recipe("Logins by address and account");
  });

  test("five failures for an account reach the origin, from any address, and good tries take nothing", async () => {
    expect(await tried(50, 200, () => of("ada"))).toBe(50);
    expect(await tried(2, 401, (i) => of("ada", `192.0.2.${i}`))).toBe(2);
    expect(await tried(2, 422, (i) => of("ada", `192.0.2.${i}`))).toBe(2);
    expect(await tried(50, 200, () => of("ada"))).toBe(50);
    expect(await tried(9, 403, (i) => of("ada", `192.0.2.${i}`))).toBe(1);
    expect((await logins.ask(of("ada")[0], { method: "POST" })).headers.get("Retry-After")).toBe(
      "1",
    );
  });

  test("twenty failures from an address reach the origin, by the default statuses", async () => {
    expect(await tried(15, 422, (i) => of(`user-${i}`))).toBe(15);
    expect(await tried(30, 401, (i) => of(`guess-${i}`))).toBe(20);
    expect(await tried(1, 401, () => of("somebody", "192.0.2.2"))).toBe(1);
  });
});

describe("API keys with plans", () => {
  test("a customer keeps the consumed units when the plan changes, up and down", async () => {
    const { ask, passing } = recipe("API keys with plans");
    const free = { headers: { "x-customer-id": "ada" } };
    const pro = { headers: { ...free.headers, "x-plan": "pro" } };
    expect(await passing(80, "/", () => free)).toBe(80);
    expect((await ask("/", pro)).headers.get("RateLimit")).toMatch(/^"daily";r=919;/);
    expect(await passing(30, "/", () => pro)).toBe(30);
    expect(await passing(1, "/", () => free)).toBe(0);
    expect(await passing(1000, "/", () => pro)).toBe(889);
    expect((await ask("/")).status).toBe(400);
  });

  test("a plan that does not exist is none", async () => {
    const { passing } = recipe("API keys with plans");
    const log = vi.spyOn(console, "warn").mockImplementation(() => {});
    const client = { headers: { "x-customer-id": "bob", "x-plan": "gold" } };
    expect(await passing(101, "/", () => client)).toBe(100);
    log.mockRestore();
  });
});

test("A month of each subscription: a plan's day begins the month", async () => {
  const { ask, passing } = recipe("A month of each subscription");
  const of = (plan: string) => () => ({ headers: { "x-customer-id": plan, "x-plan": plan } });
  expect(await passing(1001, "/", of("from-15"))).toBe(1000);
  expect(await passing(1001, "/", of("from-31"))).toBe(1000);
  // It is half past twelve on 1 January.
  const untilDay = (day: number) => String((day - 1) * 86_400 - 12.5 * 3600);
  expect((await ask("/", of("from-15")())).headers.get("retry-after")).toBe(untilDay(15));
  expect((await ask("/", of("from-31")())).headers.get("retry-after")).toBe(untilDay(31));
  pass(Number(untilDay(15)));
  expect((await ask("/", of("from-15")())).headers.get("x-ratelimit-remaining")).toBe("999");
  expect(await passing(1, "/", of("from-31"))).toBe(0);
  pass(16 * 86_400);
  expect((await ask("/", of("from-31")())).headers.get("x-ratelimit-remaining")).toBe("999");
});

describe("Webhooks", () => {
  const delivery = { method: "POST" };

  test("each receiver takes a burst, then one delivery every ten seconds", async () => {
    const { passing } = recipe("Webhooks");
    expect(await passing(40, "/hooks/ada", () => delivery)).toBe(30);
    expect(await passing(40, "/hooks/bob", () => delivery)).toBe(30);
    pass(9.9);
    expect(await passing(2, "/hooks/ada", () => delivery)).toBe(0);
    pass(0.1);
    expect(await passing(2, "/hooks/ada", () => delivery)).toBe(1);
  });

  test.for([
    [0, "10"],
    [0.5, "13"],
    [0.999, "15"],
  ] as const)("a random number of %s tells a wait of %s seconds", async ([drawn, wait]) => {
    const { ask, passing } = recipe("Webhooks");
    await passing(30, "/hooks/ada", () => delivery);
    const random = vi.spyOn(Math, "random").mockReturnValue(drawn);
    expect((await ask("/hooks/ada", delivery)).headers.get("Retry-After")).toBe(wait);
    random.mockRestore();
  });
});

describe("A scraper that rotates addresses", () => {
  const title = "A scraper that rotates addresses";

  test("is held by its subnet, then by its network", async () => {
    const { passing } = recipe(title);
    const rotating = (subnet: number) => (i: number) => ({
      ip: `203.0.${subnet}.${i % 250}`,
      asn: 64496,
    });
    expect(await passing(70, "/", () => ({ ip: "203.0.1.1", asn: 64496 }))).toBe(60);
    expect(await passing(320, "/", rotating(1))).toBe(240);
    for (const subnet of [2, 3]) expect(await passing(310, "/", rotating(subnet))).toBe(300);
    expect(await passing(310, "/", rotating(4))).toBe(300);
    expect(await passing(10, "/", rotating(5))).toBe(0);
    expect(await passing(10, "/", () => ({ ip: "203.0.5.1", asn: 64497 }))).toBe(10);
  });

  test("shows a client its own quota only, and counts no network where none is said", async () => {
    const { ask, passing } = recipe(title);
    const { headers } = await ask("/", { asn: 64496 });
    expect(headers.get("RateLimit-Policy")).toBe('"address";q=60;w=60');
    expect(await passing(1210, "/", (i) => ({ ip: `203.${i % 100}.0.${i % 250}` }))).toBe(1210);
  });
});

describe("A ceiling for everybody", () => {
  test("holds every client, and takes nothing from a denied one", async () => {
    const { ask, passing } = recipe("A ceiling for everybody");
    expect(await passing(25, "/", () => ({ ip: "192.0.2.250" }))).toBe(20);
    expect(await passing(600, "/", (i) => ({ ip: `192.0.2.${i % 200}` }))).toBe(480);
    const denied = await ask("/", { ip: "192.0.2.251" });
    expect([denied.status, denied.headers.get("Retry-After")]).toEqual([429, "1"]);
    expect(await denied.text()).not.toContain("everybody");
    pass(1);
    const { headers } = await ask("/", { ip: "192.0.2.251" });
    expect(headers.get("RateLimit")).toBe('"client";r=19;t=1');
    expect(headers.get("RateLimit-Policy")).toBe('"client";q=20;w=2');
  });
});

describe("Repeat offenders", () => {
  const login = { method: "POST" };
  const path = "/api/login";

  test("twenty denials within an hour ban a client until the first is an hour old", async () => {
    const { ask, passing } = recipe("Repeat offenders");
    expect(await passing(25, path, () => login)).toBe(5);
    pass(60);
    const banned = await ask(path, login);
    expect([banned.status, banned.headers.get("Retry-After")]).toEqual([429, "3540"]);
    expect(await banned.text()).not.toContain("login-ban");
    // The hour begins with the twentieth denial. Requests meanwhile do not count.
    expect(await passing(100, path, () => login)).toBe(0);
    pass(3539);
    expect(await passing(1, path, () => login)).toBe(0);
    pass(1);
    expect(await passing(1, path, () => login)).toBe(1);
  });

  test("nineteen do not", async () => {
    const { passing } = recipe("Repeat offenders");
    expect(await passing(24, path, () => login)).toBe(5);
    pass(60);
    expect(await passing(1, path, () => login)).toBe(1);
  });
});

test("Trying a limit first: the origin learns which clients are over a soft limit, and the client nothing", async () => {
  const { ask, passing } = recipe("Trying a limit first");
  const forged = { headers: { "tidegate-over": '"forged"' } };
  expect(await passing(150, "/", () => forged)).toBe(150);
  expect(over.slice(0, 100)).toEqual(Array(100).fill(null));
  expect(over.slice(100)).toEqual(Array(50).fill('"stricter"'));
  const { headers } = await ask("/");
  expect(headers.get("RateLimit")).toBe('"hourly";r=849;t=1800');
  expect(await passing(1000, "/", () => ({}))).toBe(849);
});

test("Exempting and blocking: by address and network, until the entry ends", async () => {
  const { ask, passing } = recipe("Exempting and blocking");
  const reasonOf = async (path: string, client: Client) => {
    const { status, headers } = await ask(path, client);
    return [status, headers.get("X-RateLimit-Reason"), headers.get("Retry-After")];
  };
  expect(await passing(110, "/api/x", () => ({ ip: "198.51.100.7", asn: 64496 }))).toBe(110);
  expect(await reasonOf("/api/x", { ip: "198.51.100.7" })).toEqual([200, "exempt", null]);
  expect(await reasonOf("/other", { ip: "198.51.100.8" })).toEqual([403, "blocked", null]);
  expect(await reasonOf("/other", { asn: 64496 })).toEqual([403, "blocked", null]);
  vi.setSystemTime(Date.parse("2030-03-01T00:00:00Z") - 1);
  expect(await reasonOf("/other", { asn: 64496 })).toEqual([403, "blocked", null]);
  pass(0.001);
  expect(await reasonOf("/other", { ip: "198.51.100.8", asn: 64496 })).toEqual([200, null, null]);
  expect(await passing(110, "/api/x", () => ({ ip: "198.51.100.8", asn: 64496 }))).toBe(100);
});
