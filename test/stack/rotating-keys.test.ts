import { describe, expect, test } from "vitest";

import { demoRules, newClient } from "./demo-rules.ts";
import { ask, count, expectDenied, left } from "./requests.ts";
import { useStack } from "./stack.ts";

const stack = useStack();

const REQUESTS = 1_000;
const BATCH = 100;

const bounded = demoRules.filter(({ address }) => address !== undefined);

describe.each(bounded.map((rule, i) => [rule.route, rule, i + 1] as const))(
  "%s, with another key for each of 1,000 requests from one address",
  (route, { limit, refill, address }, at) => {
    const newAddress = () => ({ "cf-connecting-ip": newClient()["cf-connecting-ip"] });

    test("is bounded at ten times the limit", async () => {
      const header = at % 2 ? "x-api-key" : "x-user-id";
      const from = newAddress();
      const begin = performance.now();
      const answers = [];
      for (let sent = 0; sent < REQUESTS; sent += BATCH) {
        const batch = Array.from({ length: BATCH }, (_, i) =>
          ask(stack.workers[i % 2]!, route, {
            [header]: `rotated-${sent + i}`,
            ...from,
          }),
        );
        answers.push(...(await Promise.all(batch)));
      }
      const refilled = Math.ceil(((performance.now() - begin) / 1000) * refill * 10);
      const { 200: passed = 0, 429: denied = 0 } = count(answers.map(({ status }) => status));
      expect(passed + denied).toBe(REQUESTS);
      expect(passed).toBeGreaterThanOrEqual(limit * 10);
      expect(passed).toBeLessThanOrEqual(limit * 10 + refilled);
      const denial = answers.find(({ status }) => status === 429);
      if (denial) expectDenied(denial, [address!]);

      // Another address is another client, with any key.
      const elsewhere = { [header]: "rotated-0", ...newAddress() };
      expect((await ask(stack.workers[0]!, route, elsewhere)).status).toBe(200);
    });
  },
);

test("a key over its limit costs its address no more than its allowed requests", async () => {
  const greedy = newClient();
  const route = "GET /api/export";
  const statuses = [];
  for (let i = 0; i < 60; i++)
    statuses.push((await ask(stack.workers[i % 2]!, route, greedy)).status);
  expect(count(statuses)).toEqual({ 200: 6, 429: 54 });
  const other = await ask(stack.workers[0]!, route, {
    ...greedy,
    "x-api-key": newClient()["x-api-key"],
  });
  expect([left(other, "export"), left(other, "export-address")]).toEqual([5, 53]);
});
