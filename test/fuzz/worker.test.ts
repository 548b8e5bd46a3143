import fc from "fast-check";
import { expect, test } from "vitest";

import { ipPartition } from "../../src/partition/ip-address.ts";
import { fuzz } from "./fuzz.ts";
import {
  type Fields,
  identityFields,
  malformed,
  method,
  request,
  target,
} from "./http-requests.ts";
import { FEW, type RawAnswer, useWorker } from "./worker-under-test.ts";

const worker = useWorker();

/** An answer or none, but neither a stack trace nor an error of the gateway's own. */
function expectProper({ status, text }: RawAnswer): void {
  expect(status).not.toBeNaN();
  // Miniflare, which no deployment has, shows one where it cannot make a URL of the Host field.
  expect(text).not.toMatch(/\n\s+at (?!.*\/miniflare\/).*:\d+/);
  expect(worker.log.filter((line) => line.includes("a request failed"))).toEqual([]);
}

/** Whether an ordinary origin takes this target for that path. */
function spells(target: string, path: string): boolean {
  try {
    return decodeURIComponent(new URL(`http://origin.example${target}`).pathname) === path;
  } catch {
    return false;
  }
}

fuzz("every request is answered, and none goes past its rule", 500, () =>
  fc.asyncProperty(method, target, identityFields, async (method, target, fields) => {
    const answer = await worker.send(request(method, target, fields));
    expectProper(answer);
    expect([200, 400, 404, 414, 429, 431, 501]).toContain(answer.status);
    const reached = answer.field("x-target");
    if (reached !== undefined && spells(reached, "/limited")) {
      expect(answer.field("ratelimit")).toMatch(/^"limited";r=\d+;t=\d+$/);
    }
  }),
);

/** The identity of a request, by the rule's list of sources. */
function identityOf(fields: Fields): string {
  for (const name of ["x-api-key", "x-user-id"]) {
    const text = fields[name]?.trim();
    // Several keys in one field are none: origins differ in which one they take.
    const isOne = name !== "x-api-key" || !text?.includes(",");
    if (text && isOne) return `${name} ${text}`;
  }
  // Without the field, or with an empty one, the local stack says where the connection comes from.
  const ip = fields["cf-connecting-ip"]?.replace(/^[ \t]+|[ \t]+$/g, "");
  return `ip ${ipPartition(ip || "127.0.0.1")}`;
}

async function left(fields: Fields): Promise<number> {
  const { field } = await worker.send(request("GET", "/limited", fields));
  return Number(/^"limited";r=(\d+)/.exec(field("ratelimit") ?? "")?.[1]);
}

fuzz("two requests share a count if they are of one identity, and only then", 200, () =>
  fc.asyncProperty(identityFields, identityFields, fc.boolean(), async (one, changed, alike) => {
    const other = alike ? { ...one, ...changed } : changed;
    const before = await left(one);
    const between = await left(other);
    // Refused by workerd: the worker saw no request.
    fc.pre(!Number.isNaN(before) && !Number.isNaN(between));
    const taken = before - (await left(one));
    expect(taken).toBe(identityOf(one) === identityOf(other) ? 2 : 1);
  }),
);

fuzz("what is no request is refused or dropped", 500, () =>
  fc.asyncProperty(malformed, async (bytes) => {
    expectProper(await worker.send(bytes, { ends: true }));
  }),
);

test("afterwards a new client is limited exactly", async () => {
  const statuses: number[] = [];
  const fields = { "x-api-key": `a new client ${crypto.randomUUID()}` };
  for (let i = 0; i <= FEW; i++) {
    const { status } = await worker.send(request("GET", "/few", fields));
    statuses.push(status);
  }
  expect(statuses).toEqual([...Array<number>(FEW).fill(200), 429]);
});

test("afterwards every key in Redis is bounded, of one hash tag, and will go", async () => {
  const keys = await worker.redis.keys("*");
  expect(keys.length).toBeGreaterThan(FEW);
  for (const key of keys) {
    expect(key).toMatch(
      /^tg:\{[^{}\s]{1,160}\}:[A-Za-z0-9._-]{1,64}:[bclsf]\d?(?::[\w/+*-]{1,64})?$/,
    );
    expect(await worker.redis.pttl(key)).toBeGreaterThan(0);
  }
});
