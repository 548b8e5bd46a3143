import { afterEach, expect, test, vi } from "vitest";

import { restClient } from "../../src/store/redis/rest.ts";

afterEach(() => vi.unstubAllGlobals());

/** A client on a runtime, the signals that its commands carried, and how to answer all of them. */
function clientOn(userAgent: string) {
  vi.stubGlobal("navigator", { userAgent });
  const signals: boolean[] = [];
  const answers: ((response: Response) => void)[] = [];
  vi.stubGlobal("fetch", (_url: string, { signal }: RequestInit) => {
    signals.push(signal instanceof AbortSignal);
    return new Promise((resolve) => answers.push(resolve));
  });
  const client = restClient({ url: "https://redis.example", token: "t" }, 60_000);
  const sent: Promise<unknown>[] = [];
  return {
    ask(times: number) {
      signals.length = 0;
      for (let i = 0; i < times; i++) sent.push(client.evalsha("sha1", ["key"], []));
      return [...signals];
    },
    async answer() {
      for (const answer of answers) answer(Response.json({ result: 1 }));
      await Promise.all(sent);
    },
  };
}

test("on Workers no more than four unanswered commands go without a signal", async () => {
  const { ask, answer } = clientOn("Cloudflare-Workers");
  expect(ask(6)).toEqual([false, false, false, false, true, true]);
  await answer();
  expect(ask(5)).toEqual([false, false, false, false, true]);
});

test("elsewhere every command can be cut off", () => {
  expect(clientOn("Node.js/24").ask(3)).toEqual([true, true, true]);
});
