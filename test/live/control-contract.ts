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
    expect(await storage.history()).toEqual({ current: 0, versions: [] });
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
}
