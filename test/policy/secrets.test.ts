import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { createGateway } from "../../src/gateway/gateway.ts";
import { ConfigurationError } from "../../src/options/errors.ts";
import { Faults } from "../../src/options/faults.ts";
import { createLimiter, fixedWindow } from "../support/limiter/plain.ts";

/** Pieces of a secret that would give it away; between them stand characters that end a part of an address. */
const PIECES = ["hunter", "swordfish", "xyzzy"];
const SEPARATORS = ["@", "/", ":", "//", "@@", "?", "#", "%40", "\\", " ", "\n", '"', "."];
const separator = fc.constantFrom(...SEPARATORS);

const addressOf = (scheme: string, between: string, after: string) =>
  `${scheme}://default:${PIECES[0]}${between}${PIECES[1]}${after}${PIECES[2]}@redis.example:6379`;

function messageOf(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (error instanceof ConfigurationError) return JSON.stringify([error.message, error.faults]);
    throw error;
  }
  throw new Error("there is no fault");
}

const policies = [fixedWindow({ limit: 1, window: "1s" })];
const sound = { ORIGIN: "https://origin.example", STORE: "memory", CLIENT_IP: "cloudflare" };
const rule = {
  path: "/a",
  policies: [{ algorithm: "fixed-window", name: "p", limit: 1, window: "1s" }],
};
const gateway = (variables: object) =>
  createGateway({ ...sound, RULES: [rule], ...variables } as Record<string, unknown>);

/** Where an address may stand by mistake. */
const PLACES: Record<string, (address: string) => unknown> = {
  "redis.url": (url) =>
    createLimiter({ policies, redis: { url: url.replace(/^\w+/, "rediss"), token: "t" } }),
  prefix: (prefix) => createLimiter({ policies, prefix, redis: { url: "https://x", token: "t" } }),
  "an option that holds it": (url) =>
    createLimiter({
      policies,
      lease: { url } as never,
      redis: { url: "https://x", token: "t" },
    }),
  ORIGIN: (address) => gateway({ ORIGIN: address.replace(/^\w+/, "https") }),
  PREFIX: (address) => gateway({ PREFIX: address }),
  STORE: (address) => gateway({ STORE: address }),
  CLIENT_IP: (address) => gateway({ CLIENT_IP: JSON.stringify(address) }),
  UPSTASH_REDIS_REST_URL: (address) =>
    gateway({
      STORE: "redis",
      UPSTASH_REDIS_REST_URL: address.replace(/^\w+/, "rediss"),
      UPSTASH_REDIS_REST_TOKEN: "t",
    }),
};

describe("no piece of an address's password is shown, with any characters in it", () => {
  test.for(Object.keys(PLACES))("%s", (place) => {
    fc.assert(
      fc.property(
        fc.constantFrom("redis", "rediss", "https"),
        separator,
        separator,
        (scheme, between, after) => {
          const message = messageOf(() => PLACES[place]!(addressOf(scheme, between, after)));
          for (const piece of PIECES) expect(message).not.toContain(piece);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("a value in a fault", () => {
  const shown = (value: unknown) => {
    const faults = new Faults();
    faults.add("x", value, { code: "shape", say: "Do something." });
    let shown = "";
    try {
      faults.throwIfAny();
    } catch (error) {
      const { message, faults } = error as ConfigurationError;
      shown = faults[0]!.value;
      expect(message).toBe(`Tidegate's configuration has a fault:\n  x: ${shown}: Do something.`);
    }
    return shown;
  };

  const circle: Record<string, unknown> = {};
  circle["self"] = circle;

  test.for<[unknown, string]>([
    ["https://user:pass@host/path", '"https://(hidden)@host/path"'],
    ["https://user:p@ss@host", '"https://(hidden)@host"'],
    ["https://user:p/a:s@host", '"https://(hidden)@host"'],
    ["https://host/path", '"https://host/path"'],
    ["ada@example.com", '"ada@example.com"'],
    ["a@b//c", '"a@b//c"'],
    ["https://@host", '"https://(hidden)@host"'],
    ["https://host/?key=secret&of=it", '"https://host/?key=(hidden)"'],
    [
      { url: "https://host/?key=secret", name: "n" },
      '{"url":"https://host/?key=(hidden)","name":"n"}',
    ],
    [{ url: "redis://u:p@h" }, '{"url":"redis://(hidden)@h"}'],
    ["x".repeat(58), `"${"x".repeat(58)}"`],
    ["x".repeat(59), `"${"x".repeat(56)}...`],
    [undefined, "missing"],
    [null, "null"],
    [-0.5, "-0.5"],
    [() => 1, "a function"],
    [Symbol("s"), "a symbol"],
    [Number.NaN, "NaN"],
    [10n, "10"],
    [`https://user:${"p".repeat(9_000)}@host`, '"https://(hidden)@host"'],
    [circle, "an object that cannot be shown"],
  ])("%s is %s", ([value, text]) => {
    expect(shown(value)).toBe(text);
  });
});
