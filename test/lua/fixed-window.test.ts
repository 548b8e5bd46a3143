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

test("of charges beyond the greatest number that is exact, it is known that they were cut off", async () => {
  const { key, ask } = keyOn(redis, "fixed-window");
  const most = Number.MAX_SAFE_INTEGER;
  const policy = compilePolicy(fixedWindow({ limit: most, window: "1s" }));
  const charge = () => ask(policy, "charge", FUTURE, most);
  const state = async () => {
    const bytes = (await redis.getBuffer(key))!;
    return { isCut: bytes[9], used: bytes.readUIntBE(11, 6) + bytes[10]! * 2 ** 48 };
  };
  await charge();
  expect(await state()).toEqual({ isCut: 0, used: most });
  await charge();
  expect(await state()).toEqual({ isCut: 1, used: most });
});
