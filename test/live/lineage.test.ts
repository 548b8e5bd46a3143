import fc from "fast-check";
import { expect, test } from "vitest";

import { extended, goesOnFrom, joined } from "../../src/store/control/lineage.ts";
import { type LiveState, NO_STATE } from "../../src/store/control/live-state.ts";
import { hasLost, restoredOver } from "../../src/store/control/put-back.ts";

const BASE = 1_900_000_000_000_000;

/** A state after so many writes, from this one on. */
function written(count: number, from: LiveState = NO_STATE, step = 1): LiveState {
  let { revision, lineage } = from;
  for (let i = 0; i < count; i++) {
    revision = Math.max(revision, BASE) + step;
    lineage = extended(lineage, revision);
  }
  return { ...from, revision, lineage };
}

test("a lineage names the last hundred writes, and a star for those before", () => {
  const numbers = (count: number) => written(count).lineage.split(" ");
  expect(written(1).lineage).toBe(` ${BASE + 1}`);
  expect([numbers(100)[0], numbers(100).length]).toEqual(["", 101]);
  expect([numbers(101)[0], numbers(101).length, numbers(101)[1]]).toEqual([
    "*",
    101,
    `${BASE + 2}`,
  ]);
});

test.each([
  ["one of its writes", written(3), written(7), true],
  ["the last of those that it names", written(2), written(101), true],
  ["one that it no longer names", written(1), written(150), true],
  ["a write of another store", { ...written(1), revision: BASE }, written(100), false],
  ["a later write of another store", written(1, NO_STATE, 2), written(1, written(1), 8), false],
])("a state goes on from %s: %s", (_what, held, state, goesOn) => {
  expect(goesOnFrom(state, held)).toBe(goesOn);
  expect(hasLost(state, held)).toBe(!goesOn);
});

test.each([
  [{ version: 1 }, { version: 2 }, true],
  [{ version: 1 }, { version: 0 }, false],
  [{ version: 0 }, { version: 0 }, true],
])("a state that a hand wrote over %j with %j is believed: %s", (held, state, isBelieved) => {
  const byHand = { ...written(1), ...state, revision: BASE + 9 };
  expect(hasLost(byHand, { ...written(1), ...held })).toBe(!isBelieved);
});

test("two lineages together have the writes of both in order, and a star of either", () => {
  const of = (lineage: string, revision: number) => ({ lineage, revision });
  expect(joined([of(" 1 4", 4), of(" 2 3", 3), of("", 5)])).toBe(" 1 2 3 4 5");
  expect(joined([of("* 4", 4), of(" 2 4", 4), of("", 5)])).toBe("* 2 4 5");
  // A hand wrote 6 without a lineage of its own.
  expect(joined([of(" 1", 6), of(" 1 4", 4)])).toBe(" 1 4 6");
});

test("a document is not lost to a state without one, whichever was there first", () => {
  const held = { ...written(2), version: 0, publishedAtMs: 9 };
  const stored = { ...written(1, NO_STATE, 50), version: 3, publishedAtMs: 9, document: "{}" };
  for (const { state } of [restoredOver(stored, held, 1), restoredOver(held, stored, 1)]) {
    expect(state).toMatchObject({ version: 3, document: "{}" });
  }
});

test("isolates that put back one after the other in any order agree on the newest state", () => {
  const holding = fc.record({ writes: fc.integer({ min: 1, max: 130 }), version: fc.constant(1) });
  fc.assert(
    fc.property(fc.array(holding, { minLength: 1, maxLength: 6 }), (held) => {
      const states = held.map(({ writes }) => ({
        ...written(writes),
        version: 1,
        document: "{}",
        entries: { [`deny:${writes}`]: "{}" },
      }));
      let store: LiveState = NO_STATE;
      for (const state of [...states, ...states]) {
        if (hasLost(store, state)) store = restoredOver(store, state, 1).state;
      }
      const newest = states.reduce((one, other) => (other.revision > one.revision ? other : one));
      expect(store).toEqual({ ...newest, lostAtMs: 1 });
    }),
  );
});

test("after two stores are brought together nobody who held either of them has lost anything", () => {
  const doc = (state: LiveState, version: number, publishedAtMs: number): LiveState => ({
    ...state,
    version,
    publishedAtMs,
    document: `{"rules":[${version}]}`,
    entries: { [`deny:${version}`]: "{}" },
  });
  const held = doc(written(5), 7, 100);
  const stored = doc(written(2, NO_STATE, 50), 1, 200);
  const { state, documents } = restoredOver(stored, held, 1);
  expect(state).toMatchObject({ version: 8, document: stored.document, publishedAtMs: 200 });
  expect(Object.keys(state.entries)).toEqual(["deny:7", "deny:1"]);
  expect([...documents.keys()]).toEqual([7, 8]);
  for (const each of [held, stored, written(3), written(1, NO_STATE, 50)]) {
    expect(hasLost(state, each)).toBe(false);
  }
  // Of two documents the one that was published last is in force, whoever puts back.
  const older = restoredOver(doc(written(2, NO_STATE, 50), 1, 50), held, 1).state;
  expect(older).toMatchObject({ version: 7, document: held.document, publishedAtMs: 100 });
});
