import { expect, test } from "vitest";

import { readLua, resolveIncludes } from "../../scripts/build-lua/source.ts";
import { expandNumbers } from "../../src/store/redis/expand-numbers.ts";
import { FUTURE } from "../support/algorithm-script.ts";
import { compile } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";
import { random } from "../support/random.ts";
import { runs } from "../support/runs.ts";
import { testRedis } from "../support/test-redis.ts";

const redis = testRedis();

const FILE = "test/support/lua/one-policy.lua";
/** Functions that are called, numbers that Redis's struct library packs. */
const plain = resolveIncludes(FILE);
const built = expandNumbers(readLua(FILE));

test("a built script has neither structs nor inline functions left", () => {
  expect(plain).toMatch(/@inline[^]*struct\.pack/);
  expect(built).not.toMatch(/@inline|struct/);
});

// The second limit makes a log of more entries than a rewrite waits for.
const policies = [...everyPolicy(5, "1s"), ...everyPolicy(40, "1s")];

test.for(policies)(
  "$algorithm of $limit decides and keeps the same before and after the build",
  async (policy) => {
    const draw = random(policy.limit);
    const [compiled] = compile([policy]);
    const { limit, scriptArguments } = compiled!;
    const keys = ["plain", "built"].map((name) => `${name}:{${crypto.randomUUID()}}`);
    let now = FUTURE;
    const allowed = new Set<unknown>();
    for (let step = 0; step < runs(500); step++) {
      // Mostly a share of the window, now and then more than all of it, or back.
      now += Math.round((draw() < 0.1 ? 4 * draw() - 2 : 0.1 * draw()) * 1e6);
      const operation = ["consume", "consume", "consume", "peek", "charge"][
        Math.floor(5 * draw())
      ]!;
      const cost = draw() < 0.8 ? 1 : Math.ceil(draw() * limit);
      const args = [operation, cost, ...scriptArguments, now];
      const [expected, reply] = await Promise.all(
        [plain, built].map((text, i) => redis.eval(text, 1, keys[i]!, ...args)),
      );
      expect(reply).toEqual(expected);
      const [before, after] = await Promise.all(keys.map((key) => redis.getBuffer(key)));
      expect(after).toEqual(before);
      allowed.add((reply as unknown[])[0]);
    }
    expect(allowed).toEqual(new Set([0, 1]));
  },
);
