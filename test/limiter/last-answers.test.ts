import { expect, test } from "vitest";

import { createLastAnswers } from "../../src/outage/last-answers.ts";

/* Answers may arrive in another order than that in which the store gave them: then the store's clock says which is newer. */

/** An answer of the store at this moment of its clock. */
const reply = (nowUs: number, ...remaining: number[]) => ({
  nowUs,
  rows: remaining.map((left) => ({
    allowed: left > 0,
    remaining: left,
    retryAfterUs: 0,
    resetAfterUs: 1,
  })),
});

const found = (answers: ReturnType<typeof createLastAnswers>) => answers.find("ada")?.remaining;

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

test("of two of the same moment the one with less left is the newer, and it may come again", () => {
  const answers = createLastAnswers([0], () => 7);
  answers.note("ada", reply(500, 3), 10, 20);
  answers.note("ada", reply(500, 4), 10, 30);
  expect(found(answers)).toEqual([3]);
  answers.note("ada", reply(500, 2), 10, 30);
  expect(found(answers)).toEqual([2]);
  answers.note("ada", reply(500, 2), 10, 40);
  expect(answers.find("ada")).toMatchObject({ fresh: true });
  expect(answers.find("ada")).toMatchObject({ fresh: false });
});

test("the rows that are kept are those of the policies that count here, in their order", () => {
  const answers = createLastAnswers([2, 0], () => 7);
  answers.note("ada", reply(500, 1, 2, 3), 10, 20);
  expect(answers.find("ada")).toEqual({ atUs: 7, remaining: [3, 1], fresh: true });
  const none = createLastAnswers([], () => 7);
  none.note("ada", reply(500, 1), 10, 20);
  none.forget("ada", 30);
  expect(none.find("ada")).toBeUndefined();
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
