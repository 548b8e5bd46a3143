import { expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { FUTURE } from "../support/algorithm-script.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { testRedis } from "../support/test-redis.ts";
import { keyOn } from "./key-on.ts";

const redis = testRedis();

const SECOND_US = 1e6;
const BEGIN = FUTURE - (FUTURE % SECOND_US);

test.for([
  // The window off the grid is followed by one off the grid until one passes without a request.
  [2 * SECOND_US - 1, 1],
  [2 * SECOND_US, 700_000],
])("%i us after a window off the grid began, %i us are left", async ([afterUs, leftUs]) => {
  const { ask } = keyOn(redis, "fixed-window");
  const policy = compilePolicy(fixedWindow({ limit: 5, window: "1s" }));
  const take = (nowUs: number) => ask(policy, "consume", nowUs);
  await take(BEGIN + 10 * SECOND_US);
  // Redis's clock goes back.
  const began = BEGIN + 300_000;
  expect(await take(began)).toMatchObject({ resetAfterUs: SECOND_US });
  expect(await take(began + afterUs!)).toMatchObject({ remaining: 4, resetAfterUs: leftUs });
});

test("a charge beyond the greatest number that is exact ends at 2^53, and then nothing comes back", async () => {
  const { keyOf, ask, giveBack } = keyOn(redis, "fixed-window");
  const most = Number.MAX_SAFE_INTEGER;
  const policy = compilePolicy(fixedWindow({ limit: most, window: "1s" }));
  const charge = () => ask(policy, "charge", FUTURE, most);
  const used = async () => (await redis.getBuffer(keyOf(policy)))!.readBigUInt64BE(6) % 2n ** 56n;
  await charge();
  expect(await used()).toBe(BigInt(most));
  expect(await giveBack(policy, FUTURE, FUTURE, 5)).toBe(5);
  await charge();
  expect(await used()).toBe(2n ** 53n);
  expect(await giveBack(policy, FUTURE, FUTURE, 5)).toBe(0);
  expect(await ask(policy, "peek", FUTURE)).toMatchObject({ allowed: false, remaining: 0 });
});
