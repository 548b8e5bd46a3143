import { EdgeVM } from "@edge-runtime/vm";
import { afterEach, expect, test, vi } from "vitest";

import { createGateway } from "../../src/gateway/gateway.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A gateway of the Edge runtime, whose origin answers nothing; and the signals that its fetches were given. */
function silentOrigin(variables: object = {}) {
  // Parts that the runtime has, and that this environment, which is of Node in part, has not.
  const edge = new EdgeVM();
  expect(edge.evaluate("typeof AbortSignal.any")).toBe("undefined");
  const { AbortController, AbortSignal, Request } = edge.context;
  vi.stubGlobal("AbortController", AbortController);
  vi.stubGlobal("AbortSignal", AbortSignal);
  vi.stubGlobal("Request", Request);
  const signals: AbortSignal[] = [];
  vi.stubGlobal(
    "fetch",
    (_request: Request, { signal }: { readonly signal: AbortSignal }) =>
      new Promise((_, reject) => {
        signals.push(signal);
        if (signal.aborted) reject(new Error("aborted"));
        else signal.addEventListener("abort", () => reject(new Error("aborted")));
      }),
  );
  const gateway = createGateway({
    ORIGIN: "https://origin.example",
    STORE: "memory",
    CLIENT_IP: "vercel",
    RULES: [
      { path: "/limited", policies: [{ algorithm: "fixed-window", limit: 1, window: "1d" }] },
    ],
    ...variables,
  });
  return { gateway, signals };
}

const ADDRESS = "https://shop.example/";

test("an origin that is silent in the Edge runtime is a 504, and its request ends", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const { gateway, signals } = silentOrigin({ ORIGIN_TIMEOUT: "10ms" });
  const { status } = await gateway.fetch(new Request(ADDRESS));
  expect([status, signals.map(({ aborted }) => aborted)]).toEqual([504, [true]]);
});

test.for(["before", "while"] as const)(
  "a client that goes %s the Edge runtime asks the origin ends the request, and no failure is logged",
  async (moment) => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const { gateway, signals } = silentOrigin();
    const client = new AbortController();
    if (moment === "before") client.abort();
    const answer = gateway.fetch(new Request(ADDRESS, { signal: client.signal }));
    if (moment === "while") {
      await vi.waitUntil(() => signals.length === 1);
      expect(signals[0]!.aborted).toBe(false);
      client.abort();
    }
    expect((await answer).status).toBe(502);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(warn).not.toHaveBeenCalled();
  },
);
