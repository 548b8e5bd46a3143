import { expect, test, vi } from "vitest";

import { administered } from "../support/admin/administered.ts";
import { askingOf } from "./ask.ts";

/** An administration whose store denies every address, and how often the store was asked about each. */
function deniedEverywhere() {
  const row = { allowed: false, remaining: 0, retryAfterUs: 60e6, resetAfterUs: 60e6 };
  const asked = vi.fn((_operation: string, [key]: readonly string[]) => ({
    nowUs: 4e15,
    rows: [row],
    key,
  }));
  const gateway = administered(undefined);
  const ask = askingOf({ ...gateway, store: { ...gateway.store, decide: asked as never } });
  const fail = async (address: string) => {
    const headers = { "cf-connecting-ip": address };
    return (await ask("/rules", { token: "wrong", headers })).status;
  };
  return { fail, asked };
}

const addressOf = (i: number) => `198.51.${i >> 8}.${i & 255}`;

test("a thousand refused addresses are known at most: beyond, the one that was refused first is asked about again", async () => {
  const { fail, asked } = deniedEverywhere();
  const callsFor = async (i: number) => {
    const before = asked.mock.calls.length;
    expect(await fail(addressOf(i))).toBe(429);
    return asked.mock.calls.length - before;
  };
  for (let i = 0; i < 1_000; i++) expect(await callsFor(i)).toBe(1);
  expect([await callsFor(0), await callsFor(999)]).toEqual([0, 0]);
  expect(await callsFor(1_000)).toBe(1);
  expect([await callsFor(1), await callsFor(1_000)]).toEqual([0, 0]);
  // It takes the place of the next.
  expect([await callsFor(0), await callsFor(1), await callsFor(2)]).toEqual([1, 1, 1]);
});
