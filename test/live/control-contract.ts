import { expect, test } from "vitest";

import type { LiveStore } from "../../src/store/control/control-store.ts";
import { NO_STATE } from "../../src/store/control/live-state.ts";
import { hasLost, restoredOver } from "../../src/store/control/put-back.ts";
import type { Storage } from "../../src/store/control/storage.ts";

/** One gateway's control data, with nothing in it yet. */
export interface OpenedControl {
  readonly live: LiveStore;
  readonly storage: Storage;
}

const by = (action: string) => ({ by: "ada", action });
const FIRST = { on: 0, known: 0 };

/** What every control store does. */
export function controlContract(open: () => OpenedControl): void {
  test("an empty store has nothing, and says so", async () => {
    const { live, storage } = open();
    expect(await live.read(NO_STATE)).toBe(NO_STATE);
    expect(await storage.rules()).toBeUndefined();
    expect(await storage.draft()).toBeUndefined();
    expect(await storage.version(1)).toBeUndefined();
    expect(await storage.history()).toEqual({ current: 0, tried: 0, versions: [] });
    expect([await storage.entries("deny"), await storage.audit(undefined)]).toEqual([[], []]);
  });

  test("a publication is read with its version, and only over the version that it is based on", async () => {
    const { live, storage } = open();
    expect(await storage.publish('{"rules":[1]}', FIRST, by("publish"), "a note")).toMatchObject({
      done: true,
      version: 1,
    });
    const state = await live.read(NO_STATE);
    expect(state).toMatchObject({
      version: 1,
      document: '{"rules":[1]}',
      entries: {},
      lostAtMs: 0,
    });
    expect(await live.read(state)).toBe(state);
    expect(await storage.publish("{}", FIRST, by("publish"), undefined)).toEqual({
      done: false,
      version: 1,
    });
    expect(await storage.rules()).toMatchObject({
      version: 1,
      by: "ada",
      document: { rules: [1] },
    });
    // A gateway that knows of a newer version gives none of its numbers again.
    const known = { on: 1, known: 7 };
    expect(await storage.publish("{}", known, by("publish"), undefined)).toMatchObject({
      version: 8,
    });
    expect(await storage.history()).toMatchObject({
      current: 8,
      versions: [{ version: 8 }, { version: 1, by: "ada", note: "a note" }],
    });
    const kept = [];
    for await (const each of live.readHistory()) kept.push(each);
    expect(kept).toMatchObject([
      { version: 8, document: {} },
      { version: 1, document: { rules: [1] } },
    ]);
    const next = await live.read(state);
    expect([next.version, hasLost(next, state)]).toEqual([8, false]);
  });

  test("a draft is kept until it is published", async () => {
    const { storage } = open();
    expect(await storage.saveDraft("{}", 1, by("draft"))).toEqual({ done: false, version: 0 });
    expect(await storage.saveDraft('{"rules":[]}', undefined, by("draft"))).toMatchObject({
      done: true,
      version: 0,
    });
    expect(await storage.draft()).toMatchObject({ basedOn: 0, by: "ada", document: { rules: [] } });
    await storage.publish('{"rules":[]}', FIRST, by("publish-draft"), undefined);
    expect(await storage.draft()).toBeUndefined();
  });

  test("entries are put, replaced and removed, and forgotten once they have ended", async () => {
    const { live, storage } = open();
    const put = (id: string, entry: object, checkedWith?: number) =>
      storage.putEntry("deny", id, entry, checkedWith, by("put deny"));
    expect(await put("a", { asn: 1 }, 1)).toEqual({ kind: "outdated", version: 0 });
    expect(await put("a", { asn: 1 })).toMatchObject({ kind: "put" });
    expect(await put("a", { asn: 2 }, 0)).toMatchObject({ kind: "put" });
    expect(await put("old", { until: 1, asn: 3 })).toMatchObject({ kind: "put" });
    expect(await put("b", { asn: 4 })).toMatchObject({ kind: "put" });
    const found = await storage.entries("deny");
    expect(found.map(({ id, entry }) => [id, entry]).toSorted()).toEqual([
      ["a", { asn: 2 }],
      ["b", { asn: 4 }],
    ]);
    expect(await storage.entries("allow")).toEqual([]);
    expect(Object.keys((await live.read(NO_STATE)).entries).toSorted()).toEqual([
      "deny:a",
      "deny:b",
    ]);
    expect(await storage.removeEntry("deny", "a", by("remove deny"))).toBe(true);
    expect(await storage.removeEntry("deny", "a", by("remove deny"))).toBe(false);
    const full = await put("big", { text: "x".repeat(2_000_000) });
    expect(full).toEqual({ kind: "full" });
  });

  test("the audit numbers every write, newest first", async () => {
    const { storage } = open();
    await storage.note(by("reset"));
    await storage.publish("{}", FIRST, by("publish"), undefined);
    await storage.withdraw(1, by("withdraw 1"));
    const audit = await storage.audit(undefined);
    expect(audit.map(({ n, action }) => [n, action])).toEqual([
      [3, "withdraw 1"],
      [2, "publish"],
      [1, "reset"],
    ]);
    expect((await storage.audit(3)).map(({ n }) => n)).toEqual([2, 1]);
  });

  test("a withdrawal leaves no document, loses nothing, and is only of the version that is live", async () => {
    const { live, storage } = open();
    await storage.publish("{}", FIRST, by("publish"), undefined);
    const held = await live.read(NO_STATE);
    expect(await storage.withdraw(2, by("withdraw"))).toEqual({ done: false, version: 1 });
    expect(await storage.withdraw(1, by("withdraw"))).toMatchObject({ done: true, version: 0 });
    const state = await live.read(held);
    expect([state.version, state.document, hasLost(state, held)]).toEqual([0, undefined, false]);
    expect(await storage.rules()).toBeUndefined();
  });

  test("what a store lacks is put back as it was, once, and the next publication ends the notice", async () => {
    const [full, empty] = [open(), open()];
    await full.storage.publish('{"rules":[1]}', FIRST, by("publish"), undefined);
    await full.storage.putEntry("deny", "a", { asn: 1 }, undefined, by("put deny"));
    const held = await full.live.read(NO_STATE);
    const restored = restoredOver(NO_STATE, held, 5_000);
    expect(await empty.live.putBack(1, restored)).toBe(false);
    expect(await empty.live.putBack(0, restored)).toBe(true);
    expect(await empty.live.putBack(0, restored)).toBe(false);
    expect(await empty.live.read(NO_STATE)).toEqual({ ...held, lostAtMs: 5_000 });
    expect(await empty.live.read(held)).toMatchObject({ lostAtMs: 5_000 });
    expect(await empty.storage.audit(undefined)).toMatchObject([
      { n: 1, by: "gateway", action: "restore", version: 1 },
    ]);
    expect(await empty.storage.version(1)).toMatchObject({ document: { rules: [1] } });
    await empty.storage.publish("{}", { on: 1, known: 1 }, by("publish"), undefined);
    expect(await empty.live.read(held)).toMatchObject({ version: 2, lostAtMs: 0 });
  });

  /** A store with version 1 for all, and version 2 for a tenth of the clients. */
  async function openTrial(maxDenied?: number) {
    const opened = open();
    await opened.storage.publish('{"rules":[1]}', FIRST, by("publish"), undefined);
    const base = { on: 1, known: 1 };
    const terms = { percent: 10, ...(maxDenied !== undefined && { maxDenied }) };
    const text = '{"rules":[2]}';
    expect(await opened.storage.publish(text, base, by("publish"), "try", terms)).toMatchObject({
      done: true,
      version: 2,
    });
    const { trial } = (await opened.storage.rules())!;
    return { ...opened, trial: trial! };
  }
  const side = (decided: number, denied: number) => ({ decided, denied });
  const countsOf = (tried: object, others: object) => ({ tried, others }) as never;
  const history = async (storage: Storage) =>
    (await storage.history()).versions.map(({ version, takenBack }) => [version, takenBack]);

  test("a version is tried beside the published one, and raised until all have it", async () => {
    const { live, storage, trial } = await openTrial(0.5);
    expect(await storage.rules()).toMatchObject({
      version: 1,
      document: { rules: [1] },
      trial: { version: 2, percent: 10, maxDenied: 0.5, counts: countsOf(side(0, 0), side(0, 0)) },
    });
    expect(await storage.history()).toMatchObject({
      current: 1,
      tried: 2,
      versions: [{ version: 2, note: "try" }, { version: 1 }],
    });
    const state = await live.read(NO_STATE);
    const document = '{"rules":[2]}';
    expect(state).toMatchObject({
      version: 1,
      trial: { version: 2, percent: 10, maxDenied: 0.5, document },
    });
    expect(await live.countTrial(2, countsOf(side(7, 1), side(90, 2)))).toBe(false);
    expect((await storage.rules())?.trial?.counts).toEqual(countsOf(side(7, 1), side(90, 2)));
    // Counts are no change: isolates read nothing anew.
    expect(await live.read(state)).toBe(state);
    expect(await storage.changeTrial({ ...trial, percent: 50 }, by("trial"))).toMatchObject({
      done: true,
      version: 2,
    });
    const raised = await live.read(state);
    expect([raised.trial?.percent, raised.trial?.maxDenied, hasLost(raised, state)]).toEqual([
      50,
      0.5,
      false,
    ]);
    expect((await storage.rules())?.trial?.counts).toEqual(countsOf(side(0, 0), side(0, 0)));
    expect(await storage.changeTrial({ ...trial, percent: 100 }, by("trial"))).toMatchObject({
      version: 2,
    });
    expect(await live.read(state)).toMatchObject({ version: 2, document });
    expect((await live.read(state)).trial).toBeUndefined();
    expect(await history(storage)).toEqual([
      [2, undefined],
      [1, undefined],
    ]);
    expect(await storage.changeTrial({ ...trial, percent: 50 }, by("trial"))).toEqual({
      done: false,
      version: 2,
    });
  });

  test("a version that is taken back stays in the history, where no isolate falls back to it", async () => {
    const { live, storage, trial } = await openTrial();
    const held = await live.read(NO_STATE);
    expect(await storage.changeTrial({ ...trial, percent: 0 }, by("trial"))).toMatchObject({
      done: true,
      version: 1,
    });
    const state = await live.read(held);
    expect([state.version, state.trial, hasLost(state, held)]).toEqual([1, undefined, false]);
    expect(await history(storage)).toEqual([
      [2, true],
      [1, undefined],
    ]);
    const kept = [];
    for await (const { version } of live.readHistory()) kept.push(version);
    expect(kept).toEqual([1]);
    expect(await live.countTrial(2, countsOf(side(1, 1), side(0, 0)))).toBe(false);
    expect(await storage.publish("{}", { on: 1, known: 1 }, by("publish"), "")).toMatchObject({
      version: 3,
    });
  });

  test("a publication is based on the newest version, and takes one back that was tried", async () => {
    const { live, storage } = await openTrial();
    const old = { on: 1, known: 1 };
    expect(await storage.publish("{}", old, by("publish"), "")).toEqual({
      done: false,
      version: 2,
    });
    expect(await storage.withdraw(1, by("withdraw"))).toEqual({ done: false, version: 2 });
    const next = { on: 2, known: 2 };
    expect(await storage.publish("{}", next, by("publish"), "")).toMatchObject({ version: 3 });
    expect(await history(storage)).toEqual([
      [3, undefined],
      [2, true],
      [1, undefined],
    ]);
    await storage.publish('{"rules":[4]}', { on: 3, known: 3 }, by("publish"), "", { percent: 1 });
    expect(await storage.withdraw(4, by("withdraw"))).toMatchObject({ done: true, version: 0 });
    expect(await storage.rules()).toBeUndefined();
    expect((await live.read(NO_STATE)).trial).toBeUndefined();
    expect((await history(storage))[0]).toEqual([4, true]);
  });

  test("a version is taken back once more of its decisions than the bound are denials, and not before a hundred", async () => {
    const { live, storage } = await openTrial(0.05);
    const held = await live.read(NO_STATE);
    expect(await live.countTrial(2, countsOf(side(99, 99), side(0, 0)))).toBe(false);
    await storage.changeTrial({ ...held.trial!, percent: 20 }, by("trial"));
    expect(await live.countTrial(2, countsOf(side(80, 5), side(1_000, 900)))).toBe(false);
    expect(await live.countTrial(2, countsOf(side(20, 0), side(0, 0)))).toBe(false);
    expect(await live.countTrial(2, countsOf(side(20, 2), side(0, 0)))).toBe(true);
    expect(await live.countTrial(2, countsOf(side(20, 2), side(0, 0)))).toBe(false);
    expect((await live.read(held)).trial).toBeUndefined();
    expect((await storage.audit(undefined))[0]).toEqual({
      n: 4,
      at: expect.any(Number),
      by: "gateway",
      version: 1,
      action: "take back 2",
      changes: [{ type: "removed", path: "trial", before: side(120, 7) }],
    });
    expect(await history(storage)).toEqual([
      [2, true],
      [1, undefined],
    ]);
  });

  test("a trial that a store has lost is put back with its version", async () => {
    const { live } = await openTrial(0.5);
    const held = await live.read(NO_STATE);
    const empty = open();
    expect(await empty.live.putBack(0, restoredOver(NO_STATE, held, 5_000))).toBe(true);
    expect(await empty.live.read(NO_STATE)).toEqual({ ...held, lostAtMs: 5_000 });
    expect(await empty.storage.rules()).toMatchObject({
      version: 1,
      trial: { version: 2, percent: 10, counts: countsOf(side(0, 0), side(0, 0)) },
    });
    expect(await empty.storage.version(2)).toMatchObject({ document: { rules: [2] } });
    // Another publication on the wiped store ends it: it was tried beside the version that was lost.
    const wiped = open();
    await wiped.storage.publish('{"rules":[3]}', FIRST, by("publish"), undefined);
    // A moment later than what is held, whatever the clock of the store shows.
    const revision = held.revision + 1;
    const publishedAtMs = held.publishedAtMs + 1;
    const read = await wiped.live.read(NO_STATE);
    const stored = { ...read, revision, lineage: ` ${revision}`, publishedAtMs };
    const both = restoredOver(stored, held, 5_000);
    expect([both.state.version, both.state.trial]).toEqual([3, undefined]);
    expect([...both.documents.keys()].toSorted()).toEqual([1, 2, 3]);
  });
}
