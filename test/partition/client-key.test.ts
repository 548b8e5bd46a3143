import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { clientKey, createLimiter, fixedWindow, memoryStore } from "../../src/index.ts";

const policies = () => [fixedWindow({ name: "p", by: "ip", limit: 2, window: "1d" })];

describe("clientKey()", () => {
  test.each([
    ["203.0.113.7", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::ffff:cb00:7107", "203.0.113.7"],
    ["203.0.113.7:443", "203.0.113.7"],
    ["2001:db8:1:2::42", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002:ffff:ffff:ffff:ffff", "2001:db8:1:2::/64"],
    ["[2001:db8:1:2::42]:443", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["203.0.113.7, 192.0.2.1", "unknown"],
    ["unix:", "unknown"],
    ["", "unknown"],
    [null, "unknown"],
    [undefined, "unknown"],
  ])("of %s is %s", (address, key) => {
    expect(clientKey(address)).toBe(key);
  });

  test.each([
    [undefined, "undefined"],
    [null, "null"],
    ["", '""'],
    ["a\nforged line", String.raw`"a\nforged line"`],
    ["x".repeat(90), `"${"x".repeat(60)}"`],
  ])("is logged once where it knows no address: %j", async (address, shown) => {
    vi.resetModules();
    const warn = vi
      .spyOn(console, "warn")
      .mockReset()
      .mockImplementation(() => {});
    const fresh = await import("../../src/index.ts");
    fresh.clientKey("192.0.2.1");
    expect(warn).not.toHaveBeenCalled();
    for (const each of [address, address, "other"]) fresh.clientKey(each);
    expect(warn.mock.calls).toEqual([
      [expect.stringContaining(`clientKey() got no address, but ${shown}:`)],
    ]);
  });
});

describe("the dimension ip", () => {
  test("is one client in every spelling, and for every address of its /64", async () => {
    const limiter = createLimiter({ store: memoryStore(), policies: policies() });
    const remaining = async (ip: string) => (await limiter.peek({ ip })).policies[0]!.remaining;
    await limiter.limit({ ip: "2001:db8:1:2::1" });
    expect(await remaining("2001:DB8:1:2:0:0:0:ffff")).toBe(1);
    expect(await remaining(clientKey("2001:db8:1:2::3"))).toBe(1);
    expect(await remaining("2001:db8:1:3::1")).toBe(2);
    await limiter.limit({ ip: "::ffff:203.0.113.7" });
    expect(await remaining("203.0.113.7")).toBe(1);
    await limiter.reset({ ip: "2001:db8:1:2::9" });
    expect(await remaining("2001:db8:1:2::1")).toBe(2);
  });

  test("of something else is counted as it is written", async () => {
    const limiter = createLimiter({ store: memoryStore(), policies: policies() });
    await limiter.limit({ ip: "a hash" });
    expect((await limiter.peek({ ip: "a hash" })).policies[0]!.remaining).toBe(1);
    expect((await limiter.peek({ ip: "another" })).policies[0]!.remaining).toBe(2);
  });
});

describe("an identity that is a raw address of IPv6", () => {
  const warn = vi.spyOn(console, "warn");
  beforeEach(() => {
    vi.resetModules();
    warn.mockReset();
  });
  afterEach(() => vi.resetModules());

  /** The log of an isolate of its own that limits these identities. */
  async function saidOf(...identities: string[]): Promise<readonly string[]> {
    const fresh = await import("../../src/index.ts");
    const limiter = fresh.createLimiter({
      store: fresh.memoryStore(),
      policies: [fresh.fixedWindow({ name: "p", limit: 2, window: "1d" })],
    });
    for (const identity of identities) await limiter.limit(identity);
    return warn.mock.calls.map(([text]) => String(text));
  }

  test.each(["2001:db8::1", "::ffff:203.0.113.7"])("is warned about: %s", async (identity) => {
    expect(await saidOf("user:42", identity)).toEqual([
      expect.stringContaining("pass clientKey(address)"),
    ]);
  });

  test("is warned about once", async () => {
    expect(await saidOf("2001:db8::1", "2001:db8::2", "2001:db8::1")).toHaveLength(1);
  });

  test("is looked for among an isolate's first thousand identities only", async () => {
    const many = Array.from({ length: 1_000 }, (_, i) => `user:${i}`);
    expect(await saidOf(...many, "2001:db8::1")).toEqual([]);
    vi.resetModules();
    expect(await saidOf(...many.slice(1), "2001:db8::1")).toHaveLength(1);
  });

  test.each(["203.0.113.7", "2001:db8:1:2::/64", "user:42", "a:b:c:d:e:f:0:1x", "urn:uuid:1"])(
    "is not %s",
    async (identity) => {
      expect(await saidOf(identity)).toEqual([]);
    },
  );
});
