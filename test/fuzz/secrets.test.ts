import fc from "fast-check";
import { expect } from "vitest";

import { ConfigurationError, createLimiter, fixedWindow } from "../../src/index.ts";
import { fuzz } from "./fuzz.ts";

const policies = [fixedWindow({ limit: 1, window: "1s" })];
const url = "https://redis.example";

const secret = fc.stringMatching(/^[A-Za-z0-9]{16,40}$/);

/** Characters that come along when a token is copied, any of which makes it none. */
const stray = fc.string({ unit: fc.constantFrom(..." \n\t\r\0é\"'\u200b="), maxLength: 3 });

/** How a secret comes to stand where it makes a fault. */
const MISTAKES: Record<string, (secret: string, before: string, after: string) => object> = {
  "a token that is not clean": (secret, before, after) => ({
    redis: { url, token: `${before}${secret}${after}\n` },
  }),
  "a token in a list": (secret) => ({ redis: { url, token: [secret] } }),
  "a token in an object": (secret) => ({ redis: { url, token: { token: secret } } }),
  "a redis:// URL with its password": (secret) => ({
    redis: { url: `rediss://default:${secret}@redis.example:6379`, token: "t" },
  }),
  "a redis:// URL in place of url and token": (secret) => ({
    redis: `rediss://default:${secret}@redis.example:6379`,
  }),
  "an https:// URL with credentials": (secret, before) => ({
    redis: { url: `https://default:${secret}@redis.example/${before} `, token: "t" },
  }),
  "an https:// URL whose password has what URLs are made of": (secret, before, after) => ({
    redis: { url: `${before}https://default:@/:${secret}/@@redis.example/${after}`, token: "t" },
  }),
  "an https:// URL whose password has separators": (secret, before) => ({
    redis: { url: `https://a:x/${secret}@y/${secret}@redis.example/${before} `, token: "t" },
  }),
  "a token in the query": (secret, before) => ({
    redis: { url: `https://redis.example/${before}?_token=${secret}`, token: "t" },
  }),
  "a token in place of the URL": (secret) => ({ redis: { url: `${secret}Aa1`, token: "t" } }),
  "a token under another name": (secret) => ({ redis: { url, token: "t", tokn: secret } }),
  "a token beside the options": (secret) => ({ redis: { url, token: "t" }, token: secret }),
  "a token with its scheme": (secret) => ({ redis: { url, token: `Bearer ${secret}` } }),
  "url and token in place of a store": (secret) => ({ store: { url, token: secret } }),
  "url and token as JSON": (secret) => ({ redis: JSON.stringify({ token: secret, url }) }),
};

function messageOf(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (error instanceof ConfigurationError) return JSON.stringify([error.message, error.faults]);
    throw error;
  }
  throw new Error("there is no fault");
}

for (const [name, mistake] of Object.entries(MISTAKES)) {
  fuzz(`${name} is not quoted`, 100, () =>
    fc.property(secret, stray, stray, (text, before, after) => {
      const options = { policies, ...mistake(text, before, after) };
      expect(messageOf(() => createLimiter(options))).not.toContain(text);
    }),
  );
}
