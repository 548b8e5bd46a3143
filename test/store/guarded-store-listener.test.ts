import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";

import { StoreError } from "../../src/errors/errors.ts";
import { DEFAULT_TIMEOUT_MS, guardStore } from "../../src/store/guarded-store.ts";
import { scriptedStore } from "../support/limiter/scripted-store.ts";

let warn: ReturnType<typeof vi.spyOn>;
beforeEach(() => void (warn = vi.spyOn(console, "warn").mockReturnValue()));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A guard on a clock that stands, over a store that fails until it is told not to. */
function guardThat(onStoreError?: (error: StoreError) => void) {
  const state = { fails: true };
  const { store, asked } = scriptedStore(() => {
    if (state.fails) throw new StoreError("ERR_STORE_REFUSED", "Redis answered: no.");
    return { nowUs: 0, rows: [] };
  });
  const guard = guardStore(store, { timeoutMs: 100, now: () => 0, onStoreError });
  const ask = async () => guard.decide("consume", ["k"], [1], []);
  return { state, asked, guard, ask };
}

describe("the listener", () => {
  test("hears of the first failure after a success, and of no other", async () => {
    const heard: string[] = [];
    const { state, ask } = guardThat(({ code }) => void heard.push(code));
    for (let i = 0; i < 3; i++) await ask().catch(() => {});
    expect(heard).toEqual(["ERR_STORE_REFUSED"]);
    state.fails = false;
    await ask();
    state.fails = true;
    for (let i = 0; i < 3; i++) await ask().catch(() => {});
    expect(heard).toHaveLength(2);
    expect(warn).not.toHaveBeenCalled();
  });

  test("that throws is in the log, and the failure goes on as it was", async () => {
    const { ask } = guardThat(() => {
      throw new Error("no disk");
    });
    await expect(ask()).rejects.toMatchObject({ code: "ERR_STORE_REFUSED" });
    expect(warn.mock.calls).toEqual([["tidegate: onStoreError failed: Error: no disk"]]);
  });

  test("that rejects is in the log, and leaves no rejection unhandled", async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on("unhandledRejection", note);
    onTestFinished(() => void process.off("unhandledRejection", note));
    const { ask } = guardThat(async () => {
      throw new Error("no network");
    });
    await expect(ask()).rejects.toMatchObject({ code: "ERR_STORE_REFUSED" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
    expect(warn.mock.calls).toEqual([["tidegate: onStoreError failed: Error: no network"]]);
  });

  test("is the log by default, with the code and the current behaviour", async () => {
    const { ask } = guardThat();
    for (let i = 0; i < 3; i++) await ask().catch(() => {});
    expect(warn).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/^tidegate: ERR_STORE_REFUSED: Redis answered: no\. /),
    );
  });
});

describe("a guard", () => {
  test("waits for 250 ms by default", () => {
    expect(DEFAULT_TIMEOUT_MS).toBe(250);
  });

  test("leaves no timer behind, after any result of a decision or a reset", async () => {
    vi.useFakeTimers();
    const { state, ask, guard } = guardThat();
    await ask().catch(() => {});
    state.fails = false;
    await ask();
    await guard.reset(["k"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("passes each question on to the store, once", async () => {
    const { state, asked, guard } = guardThat();
    state.fails = false;
    await guard.decide("charge", ["a", "b"], [7, 7], []);
    expect(asked).toEqual([{ operation: "charge", keys: ["a", "b"], costs: [7, 7] }]);
  });
});
