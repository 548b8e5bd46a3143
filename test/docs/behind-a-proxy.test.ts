import { readFileSync } from "node:fs";

import { Hono } from "hono";
import { expect, test } from "vitest";

import { rateLimit } from "../../src/hono.ts";
import { fixedWindow, memoryStore } from "../../src/index.ts";

const PAGE = readFileSync("docs/identities.md", "utf8");
const [, FIELD] = /With `X-Forwarded-For: ([^`]+)`/.exec(PAGE)!;
const ROWS = Array.from(
  PAGE.matchAll(/^\| \w[^|]*\| `\{ trustedHops: (\d+) \}` +\| `([\d.]+)` +\|$/gm),
  ([, hops, address]) => [Number(hops), address!] as const,
);

/** An app behind so many proxies, and what remains after a request with this field. */
function appBehind(trustedHops: number) {
  const app = new Hono().use(
    rateLimit({
      store: memoryStore(),
      policies: [fixedWindow({ name: "api", limit: 10, window: "1h" })],
      clientIp: { trustedHops },
    }),
  );
  return async (forwarded: string) => {
    const answer = await app.request("/", { headers: { "x-forwarded-for": forwarded } });
    return Number(answer.headers.get("x-ratelimit-remaining"));
  };
}

test("the page has a row for one proxy and for two", () => {
  expect(ROWS.map(([hops]) => hops)).toEqual([1, 2]);
});

test.each(ROWS)("behind %i of them, the field is counted as %s", async (hops, address) => {
  const remainingAfter = appBehind(hops);
  await remainingAfter(FIELD!);
  // The same client, for whom fewer proxies wrote fields before this one.
  const behind = FIELD!.slice(FIELD!.indexOf(address));
  expect(await remainingAfter(behind)).toBe(8);
  expect(await remainingAfter(FIELD!.replace(address, "203.0.113.200"))).toBe(9);
});

test("the page's two requests show whether the number of proxies is right", async () => {
  const sent = Array.from(PAGE.matchAll(/-H 'X-Forwarded-For: ([\d.]+)'/g), ([, first]) => first!);
  expect(sent).toHaveLength(2);
  // One proxy appends the address that called it.
  const remaining = async (hops: number) => {
    const remainingAfter = appBehind(hops);
    return [
      await remainingAfter(`${sent[0]}, 203.0.113.7`),
      await remainingAfter(`${sent[1]}, 203.0.113.7`),
    ];
  };
  expect(await remaining(1)).toEqual([9, 8]);
  expect(await remaining(2)).toEqual([9, 9]);
});
