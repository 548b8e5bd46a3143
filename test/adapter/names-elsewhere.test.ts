import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { OF_MIDDLEWARE } from "../../src/adapter/names-elsewhere.ts";
import { rateLimit as ofExpress } from "../../src/express.ts";
import { rateLimit as ofHono } from "../../src/hono.ts";
import { createLimiter, fixedWindow, memoryStore } from "../../src/index.ts";
import { LIMITER_OPTIONS } from "../../src/limiter/options.ts";
import { ConfigurationError, type Fault } from "../../src/options/errors.ts";
import { OF_POLICIES } from "../../src/options/names-elsewhere.ts";
import { rateLimit as ofVercel } from "../../src/vercel.ts";
import { faultsOf } from "../gateway/faults.ts";

const policy = fixedWindow({ limit: 5, window: "1m" });
const MIDDLEWARE: Readonly<Record<string, (options: never) => unknown>> = {
  hono: ofHono,
  express: ofExpress,
  vercel: ofVercel,
};

function thrownBy(make: () => unknown): readonly Fault[] {
  try {
    make();
  } catch (error) {
    return (error as ConfigurationError).faults;
  }
  return [];
}

describe.for(Object.entries(MIDDLEWARE))("rateLimit() of %s", ([, rateLimit]) => {
  const sound = { store: memoryStore(), clientIp: "cloudflare" };

  test.for(Object.entries(OF_MIDDLEWARE))("says what %s is here", ([name, ours]) => {
    const options = { ...sound, policies: [policy], [name]: "a secret" };
    expect(thrownBy(() => rateLimit(options as never))).toEqual([
      {
        path: name,
        value: '"(a string)"',
        code: "unknown-option",
        remedy: `Here it is \`${ours}\`.`,
      },
    ]);
  });

  test.for(Object.entries(OF_POLICIES))("says what %s of a policy is here", ([name, ours]) => {
    const policies = [policy, { ...policy, name: "other", [name]: 60 }];
    expect(thrownBy(() => rateLimit({ ...sound, policies } as never))).toEqual([
      {
        path: `policies[1].${name}`,
        value: '"(a number)"',
        code: "unknown-option",
        remedy: `Here it is \`${ours}\`.`,
      },
    ]);
  });
});

test.for(Object.entries(OF_POLICIES))("createLimiter() says what %s is here", ([name, ours]) => {
  const policies = [{ ...policy, [name]: 60 }];
  const faults = thrownBy(() => createLimiter({ store: memoryStore(), policies }));
  expect(faults).toMatchObject([
    { path: `policies[0].${name}`, remedy: `Here it is \`${ours}\`.` },
  ]);
});

test("a rule of the gateway says what `points` is here", () => {
  const own = { algorithm: "fixed-window", name: "api", window: "1m", points: 5 };
  const RULES = [{ path: "/", policies: [own] }];
  const faults = faultsOf({
    ORIGIN: "https://origin.example.com",
    STORE: "memory",
    CLIENT_IP: "cloudflare",
    RULES,
  });
  expect(faults.map(({ path, remedy }) => `${path}: ${remedy}`)).toEqual([
    "RULES[0].policies[0].points: Here it is `limit: 100`. (In the rule for * /.)",
    expect.stringContaining("RULES[0].policies[0].limit: "),
  ]);
});

test.for(["windowMs", "timeWindow", "max", "limit"] as const)(
  "%s becomes a window that begins with the first request, as there",
  (name) => {
    const made = /^policies: \[fixedWindow\((.*)\)\]$/.exec(OF_MIDDLEWARE[name])![1]!;
    expect(made).toBe('{ limit: 100, window: "1m", aligned: false }');
  },
);

test("the page about moving has the same for `skip` as the fault", () => {
  const page = readFileSync("docs/moving/express-rate-limit.md", "utf8");
  const [, ours] = /^\| `skip` +\| (.*?) +\|$/m.exec(page)!;
  expect(ours).toContain(`\`${OF_MIDDLEWARE.skip}\``);
});

test("no name of another limiter is an option of a limiter", () => {
  expect(LIMITER_OPTIONS.filter((name) => Object.hasOwn(OF_MIDDLEWARE, name))).toEqual([]);
});
