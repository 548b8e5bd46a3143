import { setTimeout as sleep } from "node:timers/promises";

import { expect, test } from "vitest";

import { readConfig } from "../../src/gateway/config/config.ts";
import { createEnforcement } from "../../src/gateway/live/enforcement.ts";
import type { ReadHistory } from "../../src/store/control/control-store.ts";
import { NO_STATE } from "../../src/store/control/live-state.ts";
import { quota } from "../support/gateway/gateway.ts";
import { quotaOf, startLiveGateway } from "../support/live/live-gateway.ts";

const partition = ["header:x-user-id"];
const rule = (policy: object) => ({ rules: [{ path: "/api/*", partition, policies: [policy] }] });
const ada = { "x-user-id": "ada" };

/** An origin that answers when the test says so. */
function slowOrigin() {
  const waiting: (() => void)[] = [];
  return {
    listener: (_request: unknown, response: { end(): void }) =>
      void waiting.push(() => response.end()),
    async reached(count: number) {
      while (waiting.length < count) await sleep(5);
    },
    answer: () => waiting.splice(0).forEach((end) => end()),
  };
}

/** Asks for a quota that is settled in the background, until it is as expected. */
async function eventually(ask: () => Promise<string>, expected: string): Promise<void> {
  const seen: string[] = [];
  for (let i = 0; i < 100; i++) {
    seen.push(await ask());
    if (seen.at(-1) === expected) return;
    await sleep(20);
  }
  expect(seen.at(-1)).toBe(expected);
}

test("a hold from before a change gives back after it the units that the request did not use", async () => {
  const failures = (limit: number) =>
    rule({ ...quota("api", limit), counts: "failures", when: { status: [401] } });
  const origin = slowOrigin();
  const gateway = await startLiveGateway({ RULES: failures(5).rules }, origin.listener);
  const left = async () => {
    const { rules } = await gateway.administered.explain({ path: "/api/x", headers: ada });
    const { limit, remaining } = rules[0]!.policies[0]!;
    return `${limit}, ${remaining} left`;
  };
  const asked = [gateway.ask("/api/x", ada), gateway.ask("/api/x", ada)];
  await origin.reached(2);
  expect(await left()).toBe("5, 3 left");

  await gateway.publish(failures(8));
  expect(await left()).toBe("8, 6 left");
  origin.answer();
  for (const response of await Promise.all(asked)) await response.text();
  await eventually(left, "8, 8 left");
});

test("leases from before a change expire unused: never more pass than the limit", async () => {
  const leased = (other: number) => ({
    rules: [
      { path: "/api/*", partition: "*", policies: [{ ...quota("api", 200), lease: "1s" }] },
      { path: "/other", partition, policies: [quota("other", other)] },
    ],
  });
  const gateway = await startLiveGateway({ RULES: leased(1).rules });
  let passed = 0;
  const ask = async () => {
    if ((await gateway.ask("/api/x", ada)).status === 200) passed++;
  };
  for (let round = 2; round < 8; round++) {
    for (let i = 0; i < 30; i++) await Promise.all([ask(), ask()]);
    await gateway.publish(leased(round), round);
    expect(gateway.administered.enforced().version).toBe(round);
  }
  expect(passed).toBeGreaterThan(100);
  expect(passed).toBeLessThanOrEqual(200);
});

test("requests under way end under the rules that they began with", async () => {
  const origin = slowOrigin();
  const gateway = await startLiveGateway({}, origin.listener);
  const asked = gateway.ask("/api/x", ada);
  await origin.reached(1);
  await gateway.publish(rule(quota("api", 50)));
  origin.answer();
  const { headers } = await asked;
  expect(headers.get("ratelimit-policy")).toContain("q=5;");
  const next = quotaOf(gateway, "ada");
  await origin.reached(1);
  origin.answer();
  expect(await next).toBe("50, 48 left");
});

test("rules that are published while the history is read for older ones stay in force", async () => {
  const config = readConfig(
    {
      ORIGIN: "https://origin.example",
      STORE: "memory",
      CLIENT_IP: "cloudflare",
      RULES: rule(quota("deployed", 5)).rules,
    },
    {},
  );
  const reported: string[] = [];
  const { adopt, now, error } = createEnforcement(config, (line) => void reported.push(line));
  const read = Promise.withResolvers<void>();
  const history: ReadHistory = async function* () {
    await read.promise;
    yield { version: 1, document: rule(quota("kept", 6)) };
  };
  const broken = adopt({ ...NO_STATE, revision: 1, version: 2, document: "{" }, history);
  const document = JSON.stringify(rule(quota("newest", 7)));
  await adopt({ ...NO_STATE, revision: 2, version: 3, document }, history);
  read.resolve();
  await broken;
  expect([now().version, now().ruleset.settings.policies[0]!.name]).toEqual([3, "newest"]);
  expect([error(), reported]).toEqual([undefined, []]);
});
