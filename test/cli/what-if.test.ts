import { expect, test } from "vitest";

import { seen, useGateway } from "./use-gateway.ts";

const on = useGateway();

const ANSWER = {
  policy: "rides",
  oneIn: 64,
  partitions: 312,
  otherNumbers: 2,
  tooFew: false,
  agreement: 0.998,
  requests: 40_000,
  deniedBefore: 9_000,
  deniedAfter: { sampled: 100, estimate: 15_400, low: 13_100, high: 17_700 },
  partitionsAffected: { sampled: 30, estimate: 1_920, low: 1_230, high: 2_610 },
};

test("what-if sends the numbers, and shows the differences that they would have made", async () => {
  on.gateway.script({ status: 200, json: ANSWER });
  const args = ["what-if", "rides", "--set", "limit=5", "--set", "window=10s", "--minutes", "10"];
  const { out, err, exit } = await on.run(args);
  expect(out).toBe(
    [
      "                     number  19 times out of 20",
      "requests              40000  counted",
      "denied                 9000  counted",
      "denied after          15400  13100 to 17700",
      "partitions affected    1920  1230 to 2610",
      "",
    ].join("\n"),
  );
  expect(err).toContain("From 312 partitions, one in 64 of all.");
  expect(err).toContain("agrees with what happened to 99.8 % of requests");
  expect(err).toContain("2 more have other numbers");
  expect(exit).toBe(0);
  const body = { policy: "rides", numbers: { limit: 5, window: "10s" }, minutes: 10 };
  expect(on.gateway.seen).toEqual([seen("POST", "/what-if", { body })]);
});

test("what-if says where the sample is too small", async () => {
  const nothing = { sampled: 3, estimate: null, low: null, high: null };
  const small = {
    partitions: 4,
    tooFew: true,
    deniedAfter: nothing,
    partitionsAffected: nothing,
    affectedShare: { low: 0.194, high: 0.994 },
  };
  on.gateway.script({ status: 200, json: { ...ANSWER, ...small } });
  const { out, err } = await on.run(["what-if", "rides", "--set", "limit=5"]);
  expect(out.match(/too few/g)).toHaveLength(2);
  expect(err).toContain("too few for an estimate");
  expect(err).toContain("3 of them are affected: 19 times out of 20, 19.4 % to 99.4 % of all.");
  // An older gateway does not report it.
  on.gateway.script({ status: 200, json: { ...ANSWER, ...small, affectedShare: undefined } });
  const before = await on.run(["what-if", "rides", "--set", "limit=5"]);
  expect(before).toMatchObject({ exit: 0, err: expect.not.stringContaining("times out of 20,") });
});

test.each([
  [["what-if", "rides"], "--set"],
  [["what-if", "rides", "--set", "rides.limit=5"], "limit=5"],
  [["what-if", "rides", "--set", "limit=5", "--minutes", "61"], "1 to 60"],
])("%j is wrong usage", async (args, says) => {
  await on.refuses(args, says);
});
