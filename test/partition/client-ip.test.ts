import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";

import { Faults } from "../../src/options/faults.ts";
import {
  checkClientIp,
  type ClientIp,
  clientIp,
  detectPlatform,
} from "../../src/partition/client-ip.ts";
import { identify } from "./identify.ts";

function ipOf(fields: Record<string, string>, trusted: ClientIp): string | undefined {
  return clientIp(new Headers(fields), trusted);
}

describe("the proxy that is trusted to tell the address", () => {
  const everyField = {
    "cf-connecting-ip": "1.1.1.1",
    "x-real-ip": "2.2.2.2",
    "x-forwarded-for": "9.9.9.9, 3.3.3.3",
    "true-client-ip": "9.9.9.9",
    forwarded: "for=9.9.9.9",
  };

  test("is one header per platform, and no other", () => {
    expect(ipOf(everyField, "cloudflare")).toBe("1.1.1.1");
    expect(ipOf(everyField, "vercel")).toBe("2.2.2.2");
    expect(ipOf(everyField, { trustedHops: 1 })).toBe("3.3.3.3");
  });

  test("is the socket's where no header is trusted", () => {
    const headers = new Headers(everyField);
    expect(clientIp(headers, "socket", "::ffff:7.7.7.7")).toBe("7.7.7.7");
    expect(clientIp(headers, "socket", undefined)).toBeUndefined();
  });

  test.each<Exclude<ClientIp, "socket">>(["cloudflare", "vercel", { trustedHops: 1 }])(
    "knows no address where %j has none, with any other fields",
    (trusted) => {
      const own = { cloudflare: "cf-connecting-ip", vercel: "x-real-ip" };
      const { [typeof trusted === "string" ? own[trusted] : "x-forwarded-for"]: _, ...others } =
        everyField as Record<string, string>;
      expect(ipOf(others, trusted)).toBeUndefined();
    },
  );

  test("knows no address where a client added a field of its own to the platform's", () => {
    const headers = new Headers({ "cf-connecting-ip": "1.1.1.1" });
    headers.append("cf-connecting-ip", "6.6.6.6");
    expect(clientIp(headers, "cloudflare")).toBeUndefined();
  });

  test.each([
    ["1.1.1.1", 1, "1.1.1.1"],
    ["9.9.9.9, 1.1.1.1", 1, "1.1.1.1"],
    ["9.9.9.9, 1.1.1.1, 2.2.2.2", 2, "1.1.1.1"],
    ["9.9.9.9,1.1.1.1,2.2.2.2,3.3.3.3", 3, "1.1.1.1"],
    ["9.9.9.9, ::ffff:1.1.1.1", 1, "1.1.1.1"],
    ["9.9.9.9, 1.1.1.1:5432", 1, "1.1.1.1"],
    [",,, 1.1.1.1", 1, "1.1.1.1"],
    ["1.1.1.1, , 2.2.2.2", 3, "1.1.1.1"],
    ["unknown, 1.1.1.1", 1, "1.1.1.1"],
    ['"], 1.1.1.1', 1, "1.1.1.1"],
  ])("counts %j %d from the right", (field, trustedHops, partition) => {
    expect(ipOf({ "x-forwarded-for": field }, { trustedHops })).toBe(partition);
  });

  test.each([
    ["1.1.1.1", 2],
    ["1.1.1.1, 2.2.2.2", 3],
    ["1.1.1.1, , 2.2.2.2", 2],
    ["1.1.1.1,", 1],
    ["1.1.1.1, unknown", 1],
  ])("knows no address in %j with %d trusted hops", (field, trustedHops) => {
    expect(ipOf({ "x-forwarded-for": field }, { trustedHops })).toBeUndefined();
  });

  test("gives a client no other partition for a value that it makes up on the left", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."0123456789., :[]a") }), (made) => {
        expect(ipOf({ "x-forwarded-for": `${made}, 1.1.1.1` }, { trustedHops: 1 })).toBe("1.1.1.1");
      }),
    );
  });
});

describe("the platform", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.unstubAllGlobals();
  });

  // A variable may have any value; Vercel sets it to 1.
  test.for([
    [undefined, undefined],
    ["", undefined],
    ["0", undefined],
    ["true", undefined],
    ["1", "vercel"],
  ])("is, with a variable VERCEL of %j, %j", ([value, platform]) => {
    vi.stubEnv("VERCEL", value);
    expect(detectPlatform()).toBe(platform);
  });

  test("is Cloudflare on Workers, under any variable", async () => {
    vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
    vi.stubEnv("VERCEL", "1");
    expect(detectPlatform()).toBe("cloudflare");
    const detected = { clientIp: undefined };
    const fields = { "cf-connecting-ip": "1.1.1.1", "x-real-ip": "2.2.2.2" };
    expect(await identify(["ip"], { fields }, detected)).toBe("ip:1.1.1.1");
  });

  test("that is stated comes before a detected one", async () => {
    vi.stubEnv("VERCEL", "1");
    const faults = new Faults();
    expect(checkClientIp(undefined, "clientIp", faults)).toBe("vercel");
    expect(checkClientIp("cloudflare", "clientIp", faults)).toBe("cloudflare");
    expect(checkClientIp({ trustedHops: 2 }, "clientIp", faults)).toEqual({ trustedHops: 2 });
    expect(faults.list.length).toBe(0);
  });
});
