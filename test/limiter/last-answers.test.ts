import { expect, test } from "vitest";

import { createLastAnswers } from "../../src/decide/last-answers.ts";

/* Answers may arrive in another order than that in which the store gave them: then the store's clock says which is newer. */

/** An answer of the store at this moment of its clock, by units used of limits of 10, 20 and so on. */
const reply = (nowUs: number, ...used: number[]) => {
  const policies = used.map((_, i) => ({ limit: 10 * (i + 1) }));
  const rows = used.map((units, i) => ({
    allowed: true,
    remaining: policies[i]!.limit - units,
    retryAfterUs: 0,
    resetAfterUs: 1,
  }));
  return { nowUs, rows, policies };
};

const found = (answers: ReturnType<typeof createLastAnswers>, nowUs = 7) =>
  answers.find("ada", nowUs)?.map(({ used }) => used);

test("an answer that was sent for after another had arrived is the newer one, under any clock of the store", () => {
  const answers = createLastAnswers([0], () => 7);
  answers.note("ada", reply(500, 3), 10, 20);
  answers.note("ada", reply(400, 9), 21, 30);
  expect(found(answers)).toEqual([9]);
});

// On Workers the clock stands still between a request's arrival and its answers.
test.each([10, 20])(
  "one that was sent for at %i ms, before or when another arrived, is newer by the store's clock",
  (sentAtMs) => {
    const answers = createLastAnswers([0], () => 7);
    answers.note("ada", reply(500, 3), 10, 20);
    answers.note("ada", reply(499, 9), sentAtMs, 30);
    expect(found(answers)).toEqual([3]);
    answers.note("ada", reply(501, 8), sentAtMs, 30);
    expect(found(answers)).toEqual([8]);
  },
);

test("of two of the same moment the one with more used is the newer, and it may come again", () => {
  const answers = createLastAnswers([0], () => 7);
  answers.note("ada", reply(500, 3), 10, 20);
  answers.note("ada", reply(500, 2), 10, 30);
  expect(found(answers)).toEqual([3]);
  answers.note("ada", reply(500, 4), 10, 30);
  expect(found(answers)).toEqual([4]);
  answers.note("ada", reply(500, 4), 10, 40);
  expect(found(answers)).toEqual([4]);
});

test("the rows that are kept are those of the policies that count here, in their order", () => {
  const answers = createLastAnswers([2, 0], () => 7);
  answers.note("ada", reply(500, 1, 2, 3), 10, 20);
  expect(found(answers)).toEqual([3, 1]);
  const none = createLastAnswers([], () => 7);
  none.note("ada", reply(500, 1), 10, 20);
  none.forget("ada", 30);
  expect(found(none)).toBeUndefined();
});

test("units count until the whole limit is there again by the answer, from its arrival on", () => {
  const answers = createLastAnswers([0], () => 7);
  answers.note("ada", reply(500, 3), 10, 20);
  const [row] = reply(500, 3).rows;
  expect(answers.find("ada", 7)).toEqual([{ used: 3, leftUs: row!.resetAfterUs }]);
  expect(answers.find("ada", 7 + row!.resetAfterUs)).toEqual([{ used: 0, leftUs: 0 }]);
});

test("after a step back of the clock, an answer is one of that moment", () => {
  const answers = createLastAnswers([0], () => 1_000);
  answers.note("ada", reply(500, 3), 10, 20);
  expect(answers.find("ada", 400)).toEqual([{ used: 3, leftUs: 1 }]);
  expect(answers.find("ada", 401)).toEqual([{ used: 0, leftUs: 0 }]);
});

test("after it was forgotten, only an answer counts that was sent for later", () => {
  const answers = createLastAnswers([0], () => 7);
  answers.note("ada", reply(500, 3), 10, 20);
  answers.forget("ada", 25);
  expect(found(answers)).toBeUndefined();
  answers.note("ada", reply(900, 9), 25, 30);
  expect(found(answers)).toBeUndefined();
  answers.note("ada", reply(600, 8), 26, 31);
  expect(found(answers)).toEqual([8]);
});

test("those about ten thousand partitions are kept", () => {
  const answers = createLastAnswers([0], () => 7);
  for (let i = 0; i < 12_000; i++) answers.note(`p${i}`, reply(500, 3), 10, 20);
  const kept = Array.from({ length: 12_000 }, (_, i) => answers.find(`p${i}`, 7) !== undefined);
  expect(kept.filter(Boolean)).toHaveLength(10_000);
});
