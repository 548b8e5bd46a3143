import { afterEach, describe, expect, it, vi } from "vitest";

import { ConfigurationError, type Fault, Faults } from "../../src/errors.ts";
import type { ClientIp } from "../../src/partition/client-ip.ts";
import { partitionKey } from "../../src/partition/partition-key.ts";
import { compileSources } from "../../src/partition/source.ts";

async function identify(
  sources: unknown,
  fields: Record<string, string>,
  trusted: ClientIp = "cloudflare",
): Promise<string | undefined> {
  const faults = new Faults();
  const read = compileSources(sources, trusted, "partition", faults);
  faults.throwIfAny();
  return read(new Headers(fields));
}

function faultsOf(sources: unknown, trusted?: unknown): readonly Fault[] {
  const faults = new Faults();
  compileSources(sources, trusted as ClientIp, "partition", faults);
  try {
    faults.throwIfAny();
  } catch (error) {
    return (error as ConfigurationError).faults;
  }
  return [];
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe("sources", () => {
  const all = { "x-api-key": "k1", "x-user-id": "u1", "cf-connecting-ip": "192.0.2.1" };
  const sources = ["header:x-api-key", "header:X-User-Id", "ip"];

  it("are asked in order, and the first that the request carries is taken", async () => {
    const byKey = await identify(sources, all);
    const { "x-api-key": _key, ...withoutKey } = all;
    const { "x-user-id": _user, ...onlyIp } = withoutKey;

    expect(byKey).toMatch(/^x-api-key:[A-Za-z0-9_-]{43}$/);
    expect(await identify(sources, withoutKey)).toMatch(/^x-user-id:[A-Za-z0-9_-]{43}$/);
    expect(await identify(sources, onlyIp)).toBe("ip:192.0.2.1");
    expect(await identify(sources, {})).toBeUndefined();
    expect(await identify(["ip", "header:x-api-key"], all)).toBe("ip:192.0.2.1");
  });

  it.each(["", " ", "\t"])("pass over a header that is %j", async (value) => {
    expect(await identify(sources, { ...all, "x-api-key": value })).toMatch(/^x-user-id:/);
  });

  it("pass over an address that is none", async () => {
    const fields = { "cf-connecting-ip": "unknown", "x-user-id": "u1" };
    expect(await identify(["ip", "header:x-user-id"], fields)).toMatch(/^x-user-id:/);
  });

  it("never let a secret be read in the partition", async () => {
    const secret = "sk_live_51H8xSecret";
    const identity = await identify(["header:authorization"], { authorization: secret });
    expect(identity).toMatch(/^authorization:[A-Za-z0-9_-]{43}$/);
    expect(identity).not.toContain(secret);
    expect(partitionKey(identity!)).toBe(identity);
  });

  it("keep the same value under two headers apart", async () => {
    const [asKey, asUser] = await Promise.all([
      identify(sources, { "x-api-key": "x" }),
      identify(sources, { "x-user-id": "x" }),
    ]);
    expect(asKey!.split(":")[1]).toBe(asUser!.split(":")[1]);
    expect(asKey).not.toBe(asUser);
  });

  it("keep a header that is called ip apart from every address", async () => {
    const named = await identify(["header:ip"], { ip: "192.0.2.1" });
    expect(named).toMatch(/^ip:[A-Za-z0-9_-]{43}$/);
  });

  it("take a value for the same whatever white space surrounds it, and for another by its case", async () => {
    const hashes = await Promise.all(
      ["abc", " abc ", "Abc"].map((value) =>
        identify(["header:x-api-key"], { "x-api-key": value }),
      ),
    );
    expect(hashes[0]).toBe(hashes[1]);
    expect(hashes[0]).not.toBe(hashes[2]);
  });

  it("stay short whatever the client sends", async () => {
    const identity = await identify(["header:x-api-key"], { "x-api-key": "k".repeat(65_536) });
    expect(identity).toHaveLength("x-api-key:".length + 43);
  });
});

describe("faults of sources", () => {
  it.each([
    [[], "partition", "[]"],
    ["ip", "partition", '"ip"'],
    [undefined, "partition", "missing"],
    [["ip", "cookie:id"], "partition[1]", '"cookie:id"'],
    [["header:"], "partition[0]", '"header:"'],
    [["header:x y"], "partition[0]", '"header:x y"'],
    [["header:x\n"], "partition[0]", String.raw`"header:x\n"`],
    [["header"], "partition[0]", '"header"'],
    [["ips"], "partition[0]", '"ips"'],
    [[7], "partition[0]", "7"],
    [[null], "partition[0]", "null"],
  ])("%j is said to be at %s", (sources, path, value) => {
    expect(faultsOf(sources, "cloudflare")).toEqual([{ path, value, remedy: expect.any(String) }]);
  });

  it.each([
    ["nginx", '"nginx"'],
    [{}, "{}"],
    [{ trustedHops: 0 }, '{"trustedHops":0}'],
    [{ trustedHops: 1.5 }, '{"trustedHops":1.5}'],
    [{ trustedHops: 33 }, '{"trustedHops":33}'],
    [{ trustedHops: "1" }, '{"trustedHops":"1"}'],
    [true, "true"],
  ])("clientIp %j", (trusted, value) => {
    expect(faultsOf(["ip"], trusted)).toEqual([
      {
        path: "clientIp",
        value,
        remedy: 'Use "cloudflare", "vercel" or { trustedHops: 1 }, up to 32 hops.',
      },
    ]);
  });

  it("are all said at once", () => {
    expect(faultsOf(["ip", "x", "y"], "nginx").map(({ path }) => path)).toEqual([
      "clientIp",
      "partition[1]",
      "partition[2]",
    ]);
  });
});

describe("without a word on the client's address", () => {
  it("is a fault where no platform says so, and none where no rule asks", () => {
    expect(faultsOf(["ip"])).toEqual([
      { path: "clientIp", value: "missing", remedy: expect.stringMatching(/^Say who is trusted/) },
    ]);
    expect(faultsOf(["header:x-api-key"])).toEqual([]);
  });

  it("is Cloudflare's on Workers", async () => {
    vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
    const read = compileSources(["ip"], undefined, "partition", new Faults());
    expect(await read(new Headers({ "cf-connecting-ip": "192.0.2.1" }))).toBe("ip:192.0.2.1");
    expect(await read(new Headers({ "x-real-ip": "192.0.2.1" }))).toBeUndefined();
  });

  it("is Vercel's where Vercel's variable says so, not wherever its runtime runs", async () => {
    vi.stubGlobal("EdgeRuntime", "edge-runtime");
    expect(faultsOf(["ip"])).toHaveLength(1);

    vi.stubEnv("VERCEL", "1");
    const read = compileSources(["ip"], undefined, "partition", new Faults());
    expect(await read(new Headers({ "x-real-ip": "192.0.2.1" }))).toBe("ip:192.0.2.1");
    expect(await read(new Headers({ "x-forwarded-for": "192.0.2.1" }))).toBeUndefined();
  });
});
