import { expect, test } from "vitest";

import { keyHint } from "../../src/metrics/key-hint.ts";
import { quota } from "../support/gateway/gateway.ts";
import { meteredGateways } from "../support/metrics/metered-gateway.ts";

const DIGEST = "a".repeat(43);

test.each([
  ["x-api-key", "sk_live_0123456789abcd9f3a", "9f3a"],
  ["authorization", "Bearer 0123456789abcdef.sig_", "sig_"],
  ["x-api-key", "0123456789abcdef123", undefined],
  ["authorization", "Basic dXNlcjpwYXNzd29yZC1vZi1zb21lYm9keQ==", undefined],
  ["x-user-id", "somebody@a-long-domain.example", undefined],
  ["x-api-key", "0123456789abcdefghij \u00ff12", undefined],
])("of %s: %s the hint is %s", (name, value, hint) => {
  const headers = new Headers({ [name]: value });
  expect(keyHint(`${name}:${DIGEST}`, headers)).toBe(hint);
  expect(keyHint(`ip:192.0.2.1,${name}:${DIGEST}`, headers)).toBe(hint);
  expect(keyHint(`cookie:${name}:${DIGEST}`, headers)).toBeUndefined();
});

test("the client with the most denials is told apart by the end of the key, and counted as one beside older isolates", async () => {
  const rules = [{ path: "/*", partition: ["header:x-api-key"], policies: [quota("api", 2)] }];
  const { open, redis, keys } = await meteredGateways(rules);
  const { ask, api } = open();
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  const read = async (path: string, body?: object) => (await (await api(path, body)).json()) as any;
  const key = { "x-api-key": "sk_live_0123456789abcd9f3a" };
  for (let i = 0; i < 5; i++) await ask("/x", "192.0.2.1", { headers: key });
  const [found] = (await read("/top?kind=denied")).partitions;
  expect(found).toEqual({
    policy: "api",
    partition: expect.stringMatching(/^x-api-key:[\w-]{43}$/),
    count: 3,
    hint: "9f3a",
  });
  // An isolate of the version before.
  await redis.zincrby(keys.top("denied", Date.now()), 4, `api ${found.partition}`);
  expect((await read("/top?kind=denied")).partitions).toEqual([{ ...found, count: 7 }]);
  const { partitions } = await read("/partitions/history", { name: found.partition });
  expect(partitions).toHaveLength(1);
  expect(partitions[0].denied.reduce((sum: number, each: number) => sum + each, 0)).toBe(7);
});
