import fc from "fast-check";
import { expect, inject } from "vitest";

import { createLimiter, fixedWindow, memoryStore, type Store } from "../../src/index.ts";
import { fuzz } from "./fuzz.ts";
import { hostileText } from "./hostile.ts";

const identity = hostileText.filter((text) => text !== "");

/** Two that differ in everything, in little, or not at all. */
const pair = fc.oneof(
  fc.tuple(identity, identity),
  identity.map((text) => [text, text] as const),
  identity.map((text) => [text, encodeURIComponent(text.toWellFormed())] as const),
  identity.map((text) => [text, `${text} `] as const),
  identity.map((text) => [text, text.toLowerCase()] as const),
  fc.tuple(identity, hostileText).map(([text, more]) => [text, text + more] as const),
);

fuzz("one identity leaves another's count as it is", 300, () =>
  fc.asyncProperty(pair, async ([one, other]) => {
    const limiter = createLimiter({
      redis: { url: inject("redisRestUrl"), token: inject("redisRestToken") },
      timeout: "10s",
      policies: [fixedWindow({ limit: 5, window: "30d" })],
      prefix: crypto.randomUUID(),
    });
    const taken = await limiter.limit(one, { cost: 2 });
    expect(taken.policies[0]!.remaining).toBe(3);
    const seen = await limiter.peek(other);
    expect(seen.policies[0]!.remaining).toBe(one === other ? 3 : 5);
  }),
);

const name = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,6}$/);
const prefix = fc.stringMatching(/^[A-Za-z0-9._:-]{1,6}$/);
const owner = fc.tuple(prefix, identity, name);

fuzz("every prefix, identity and policy has a key of its own", 1_500, () =>
  fc.asyncProperty(
    owner,
    owner,
    fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()),
    async (one, other, same) => {
      const second = other.map((part, i) => (same[i] ? one[i]! : part)) as typeof other;
      const keys = [await keyOf(one), await keyOf(second)];
      for (const key of keys)
        expect(key).toMatch(
          /^[A-Za-z0-9._:-]+:\{[^{}\s]{1,128}\}:[A-Za-z0-9._-]+:[bclsf]\d?(?::[\w/+*-]+)?$/,
        );
      expect(keys[0] === keys[1]).toBe(one.every((part, i) => part === second[i]));
    },
  ),
);

async function keyOf([prefix, identity, name]: readonly [string, string, string]): Promise<string> {
  const memory = memoryStore();
  const seen: string[] = [];
  const store: Store = {
    decide(operation, keys, cost, policies) {
      seen.push(...keys);
      return memory.decide(operation, keys, cost, policies);
    },
    reset: (keys) => memory.reset(keys),
  };
  const policies = [fixedWindow({ name, limit: 1, window: "1d" })];
  await createLimiter({ store, policies, prefix }).limit(identity);
  return seen.join(" ");
}
