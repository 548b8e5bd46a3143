import { setTimeout as sleep } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { freePort } from "../../../scripts/support/free-port.ts";
import { originReporter } from "../../../src/gateway/proxy/report-origin.ts";
import { gatewayTo, generous, startOrigin } from "../../support/gateway/gateway.ts";

/** Those of the gateway: a server has timers of its own. */
const TIMERS = ["setTimeout", "clearTimeout"] as const;

const warn = vi.spyOn(console, "warn");
beforeEach(() => void warn.mockReset().mockReturnValue());
afterEach(() => {
  vi.useRealTimers();
});

const lines = () => warn.mock.calls.map(([line]) => line as string);

describe("an origin that is silent", () => {
  test("is a 504 after ORIGIN_TIMEOUT, is told, and the connection is closed", async () => {
    const closed = Promise.withResolvers<void>();
    const origin = await startOrigin((request) => request.once("close", () => closed.resolve()));
    const ask = gatewayTo(origin.url, generous, { ORIGIN_TIMEOUT: "50ms" });
    const answer = await ask("/x");
    expect([answer.status, answer.headers.get("content-type")]).toEqual([
      504,
      "application/problem+json",
    ]);
    expect(await answer.json()).toEqual({
      type: "about:blank",
      title: "Gateway Timeout",
      status: 504,
      detail: "The origin did not answer in time.",
    });
    expect(answer.headers.get("ratelimit")).toMatch(/"all"/);
    await closed.promise;
    expect(lines()).toEqual([
      "tidegate: the origin did not answer within ORIGIN_TIMEOUT: 1 request since the last such line.",
    ]);
  });

  test("is no 504 once it has begun to answer, however long the rest takes", async () => {
    const origin = await startOrigin(async (_, response) => {
      response.write("first ");
      await sleep(400);
      response.end("last");
    });
    const ask = gatewayTo(origin.url, generous, { ORIGIN_TIMEOUT: "150ms" });
    const answer = await ask("/x");
    expect([answer.status, await answer.text()]).toEqual([200, "first last"]);
    expect(lines()).toEqual([]);
  });

  test("leaves no timer behind where it answers", async () => {
    const origin = await startOrigin();
    vi.useFakeTimers({ toFake: [...TIMERS] });
    const ask = gatewayTo(origin.url, generous, { ORIGIN_TIMEOUT: "1h" });
    for (let request = 0; request < 2; request++) {
      const answer = await ask("/x");
      expect([answer.status, vi.getTimerCount()]).toEqual([200, 0]);
      await answer.text();
    }
  });

  test.each([
    [{}, 300_000],
    [{ ORIGIN_TIMEOUT: "2m" }, 120_000],
  ])("with %j is waited for until %d ms", async (variables, ms) => {
    const arrived = Promise.withResolvers<void>();
    const origin = await startOrigin(() => arrived.resolve());
    vi.useFakeTimers({ toFake: [...TIMERS] });
    const ask = gatewayTo(origin.url, generous, variables);
    let status = 0;
    const answered = ask("/x").then((answer) => (status = answer.status));
    await arrived.promise;
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(status).toBe(0);
    vi.advanceTimersByTime(1);
    await answered;
    expect([status, vi.getTimerCount()]).toEqual([504, 0]);
  });

  test("with ORIGIN_TIMEOUT off is waited for without a timer", async () => {
    const arrived = Promise.withResolvers<void>();
    const origin = await startOrigin(() => arrived.resolve());
    vi.useFakeTimers({ toFake: [...TIMERS] });
    const client = new AbortController();
    const ask = gatewayTo(origin.url, generous, { ORIGIN_TIMEOUT: "off" });
    const answered = ask("/x", { signal: client.signal });
    await arrived.promise;
    expect(vi.getTimerCount()).toBe(0);
    client.abort();
    await answered;
  });

  test.each(["9ms", "61m", "never", 5])("is not waited for %j", (ORIGIN_TIMEOUT) => {
    expect(() => gatewayTo("https://origin.example", generous, { ORIGIN_TIMEOUT })).toThrow(
      "ORIGIN_TIMEOUT",
    );
  });
});

describe("an origin that cannot be reached", () => {
  test("is a 502 that is logged with the code and nothing of the request", async () => {
    const ask = gatewayTo(`http://127.0.0.1:${await freePort()}`, generous);
    expect((await ask("/secret?token=1")).status).toBe(502);
    expect(lines()).toEqual([
      "tidegate: the origin did not answer (ECONNREFUSED): 1 request since the last such line.",
    ]);
  });

  test("is not blamed where the client has gone", async () => {
    const asked = Promise.withResolvers<void>();
    const origin = await startOrigin(() => asked.resolve());
    const ask = gatewayTo(origin.url, generous);
    const client = new AbortController();
    const answer = ask("/x", { signal: client.signal });
    await asked.promise;
    client.abort();
    expect((await answer).status).toBe(502);
    expect(lines()).toEqual([]);
  });

  test("is not asked for a client that has gone already", async () => {
    let asked = 0;
    const origin = await startOrigin((_, response) => {
      asked++;
      response.end();
    });
    const ask = gatewayTo(origin.url, generous, { ORIGIN_TIMEOUT: "1s" });
    expect((await ask("/x", { signal: AbortSignal.abort() })).status).toBe(502);
    expect([asked, lines()]).toEqual([0, []]);
  });

  test("is told once a minute, with how many requests it failed, each kind by itself", () => {
    let ms = 0;
    const tell = originReporter(() => ms);
    for (let request = 0; request < 5; request++) tell("unreachable");
    tell("timeout");
    expect(lines()).toHaveLength(2);
    ms = 59_999;
    tell("unreachable");
    expect(lines()).toHaveLength(2);
    ms = 60_000;
    tell("unreachable", new TypeError("fetch failed", { cause: { code: "ENOTFOUND" } }));
    expect(lines()[2]).toBe(
      "tidegate: the origin did not answer (ENOTFOUND): 6 requests since the last such line.",
    );
  });
});
