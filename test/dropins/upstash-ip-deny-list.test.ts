import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { IpDenyList as Peer } from "@upstash/ratelimit";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";

import { fromIoredis } from "../../src/node.ts";
import { IpDenyList, Ratelimit } from "../../src/upstash-ratelimit.ts";
import { connect, ownPrefix } from "./clocked-redis.ts";
import { peerRedis } from "./upstash-places.ts";

const LIST = "https://raw.githubusercontent.com/stamparm/ipsum/master/levels";

/** The bodies of the files, by their addresses; other requests go to the network. */
const files = new Map<string, string>();

beforeEach(() => {
  const real = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const body = files.get(String(input));
    if (body !== undefined) return new Response(body);
    if (String(input).startsWith(LIST)) return new Response("no such file", { status: 404 });
    return real(input, init);
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  files.clear();
});

const file = (level: number, lines: readonly string[]) =>
  files.set(`${LIST}/${level}.txt`, `${lines.join("\n")}\n`);

describe.for([
  ["@upstash/ratelimit", Peer],
  ["tidegate/upstash-ratelimit", IpDenyList],
] as const)("the deny list of addresses of %s", ([, lists]) => {
  const redis = peerRedis();
  const members = async (prefix: string) =>
    Promise.all(
      ["all", "ipDenyList"].map(async (name) =>
        (await redis.smembers(`${prefix}:denyList:${name}`)).toSorted(),
      ),
    );

  test("has those of the file, and keeps what was put there by hand", async () => {
    const prefix = ownPrefix();
    await redis.sadd(`${prefix}:denyList:all`, "mallory", "203.0.113.7");
    file(3, ["203.0.113.7", "203.0.113.8", "203.0.113.9"]);
    await lists.updateIpDenyList(redis as never, prefix, 3, 60_000);
    expect(await members(prefix)).toEqual([
      ["203.0.113.7", "203.0.113.8", "203.0.113.9", "mallory"],
      ["203.0.113.8", "203.0.113.9"],
    ]);
    expect(await redis.get(`${prefix}:ipDenyListStatus`)).toBe("valid");
    const left = await redis.pttl(`${prefix}:ipDenyListStatus`);
    expect(left > 0 && left <= 60_000).toBe(true);

    file(3, ["203.0.113.9", "203.0.113.10"]);
    await lists.updateIpDenyList(redis as never, prefix, 3);
    expect(await members(prefix)).toEqual([
      ["203.0.113.10", "203.0.113.7", "203.0.113.9", "mallory"],
      ["203.0.113.10", "203.0.113.9"],
    ]);
    expect(await redis.pttl(`${prefix}:ipDenyListStatus`)).toBeLessThanOrEqual(86_400_000);

    await lists.disableIpDenyList(redis as never, prefix);
    expect(await members(prefix)).toEqual([["203.0.113.7", "mallory"], []]);
    expect(await redis.get(`${prefix}:ipDenyListStatus`)).toBe("disabled");
    expect(await redis.pttl(`${prefix}:ipDenyListStatus`)).toBe(-1);
  });

  test.each([0, 9, Number.NaN, "3"])("has no threshold of %j", async (threshold) => {
    await expect(
      lists.updateIpDenyList(redis as never, ownPrefix(), threshold as number),
    ).rejects.toThrow(/threshold|fetch ip deny list/);
  });

  test("stays as it is if the addresses cannot be fetched", async () => {
    const prefix = ownPrefix();
    await redis.sadd(`${prefix}:denyList:all`, "mallory");
    await expect(lists.updateIpDenyList(redis as never, prefix, 3)).rejects.toThrow();
    expect(await members(prefix)).toEqual([["mallory"], []]);
  });
});

describe("the deny list of addresses of tidegate/upstash-ratelimit", () => {
  test("denies, in any Redis, addresses of a file of 2,500, and nothing else that the file has", async () => {
    const redis = fromIoredis(connect());
    const prefix = ownPrefix();
    const addresses = Array.from({ length: 2_500 }, (_, i) => `198.51.${i >> 8}.${i & 255}`);
    file(1, [...addresses, "2001:db8::1", "FR", "# 203.0.113.7", "", "ada", "*"]);
    await IpDenyList.updateIpDenyList(redis, prefix, 1);
    const ratelimit = new Ratelimit({
      redis,
      limiter: Ratelimit.fixedWindow(10, "1 d"),
      enableProtection: true,
      timeout: 20_000,
      prefix,
    });
    const reasonOf = async (ip: string, identifier = "eve") =>
      (await ratelimit.limit(identifier, { ip, country: "FR" })).reason;
    for (const ip of [addresses[0]!, addresses[999]!, addresses[1_000]!, addresses[2_499]!]) {
      expect(await reasonOf(ip)).toBe("denyList");
    }
    expect(await reasonOf("2001:db8::1")).toBe("denyList");
    expect(await reasonOf("203.0.113.7", "ada")).toBeUndefined();
    expect(await connect().scard(`${prefix}:denyList:all`)).toBe(2_501);
  });

  test("stays as it is if an answer has no address", async () => {
    const redis = connect();
    const prefix = ownPrefix();
    file(3, ["203.0.113.8"]);
    await IpDenyList.updateIpDenyList(fromIoredis(redis), prefix, 3);
    file(3, ["<html>", "Try again later.", "</html>"]);
    await expect(IpDenyList.updateIpDenyList(fromIoredis(redis), prefix, 3)).rejects.toThrow(
      "The answer has no addresses.",
    );
    expect(await redis.smembers(`${prefix}:denyList:all`)).toEqual(["203.0.113.8"]);
  });

  test("stays as it is if the server sends only the start of a file", async () => {
    const redis = connect();
    const prefix = ownPrefix();
    file(3, ["203.0.113.8"]);
    await IpDenyList.updateIpDenyList(fromIoredis(redis), prefix, 3);
    const server = createServer((_request, response) => response.write("203.0.113.9\n"));
    onTestFinished(() => server.close().closeAllConnections());
    await once(server.listen(0), "listening");
    const { port } = server.address() as AddressInfo;
    const real = vi.mocked(globalThis.fetch).getMockImplementation()!;
    vi.spyOn(globalThis, "fetch").mockImplementation((input, init) =>
      real(String(input).startsWith(LIST) ? `http://localhost:${port}/` : input, init),
    );
    const deadline = AbortSignal.timeout(50);
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(deadline);
    await expect(IpDenyList.updateIpDenyList(fromIoredis(redis), prefix, 3)).rejects.toThrow(
      "timeout",
    );
    expect(timeout.mock.calls).toEqual([[20_000]]);
    expect(await redis.smembers(`${prefix}:denyList:all`)).toEqual(["203.0.113.8"]);
  });

  test("is valid until two in the morning, UTC", async () => {
    const redis = connect();
    const prefix = ownPrefix();
    file(1, ["203.0.113.8"]);
    vi.spyOn(Date, "now").mockReturnValue(Date.UTC(2030, 0, 1, 1, 30));
    await IpDenyList.updateIpDenyList(fromIoredis(redis), prefix, 1);
    const left = await redis.pttl(`${prefix}:ipDenyListStatus`);
    expect(left).toBeLessThanOrEqual(1_800_000);
    expect(left).toBeGreaterThan(1_700_000);
  });
});
