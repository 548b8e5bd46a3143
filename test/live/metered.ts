import { vi } from "vitest";

import { askingOf } from "../admin/ask.ts";
import { ADMIN_TOKEN } from "../support/live/live-gateway.ts";
import { meteredGateways } from "../support/metrics/metered-gateway.ts";

/** A gateway that counts what it decides, and its administration, which is asked by another address. */
export async function startMetered(rules: readonly object[], variables: object = {}) {
  const { open } = await meteredGateways(rules, variables);
  const isolate = open();
  const ask = askingOf(isolate.administered);
  const call = (method: string, path: string, body?: object, token = ADMIN_TOKEN) =>
    ask(path, { method, body, token, headers: { "cf-connecting-ip": "192.0.2.9" } });
  return { isolate, call };
}

/** Does something an hour later. */
export async function anHourLater<Result>(act: () => Promise<Result>): Promise<Result> {
  vi.useFakeTimers({ now: Date.now() + 3_600_001, toFake: ["Date"] });
  try {
    return await act();
  } finally {
    vi.useRealTimers();
  }
}
