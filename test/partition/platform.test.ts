import { afterEach, expect, test, vi } from "vitest";

import { Faults } from "../../src/options/faults.ts";
import { checkClientIp, detectPlatform } from "../../src/partition/client-ip.ts";

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
])("a variable VERCEL of %j is the platform %j", ([value, platform]) => {
  vi.stubEnv("VERCEL", value);
  expect(detectPlatform()).toBe(platform);
});

test("Workers are Cloudflare's, under any variable", () => {
  vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
  vi.stubEnv("VERCEL", "1");
  expect(detectPlatform()).toBe("cloudflare");
});

test("a stated platform comes before a detected one", () => {
  vi.stubEnv("VERCEL", "1");
  const faults = new Faults();
  expect(checkClientIp(undefined, "clientIp", faults)).toBe("vercel");
  expect(checkClientIp("cloudflare", "clientIp", faults)).toBe("cloudflare");
  expect(checkClientIp({ trustedHops: 2 }, "clientIp", faults)).toEqual({ trustedHops: 2 });
  expect(faults.list.length).toBe(0);
});
