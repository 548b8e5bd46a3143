import { expect, test, vi } from "vitest";

import type { Cost } from "../../src/decide/limiter-types.ts";
import { usage } from "../../src/llm.ts";
import { streamed } from "../support/adapter/background.ts";
import { concurrency, createLimiter, fixedWindow, memoryStore } from "../support/limiter/plain.ts";

const limiter = () =>
  createLimiter({
    store: memoryStore(),
    policies: [
      fixedWindow({ name: "tokens", limit: 5_000, window: "1h", refundable: true }),
      concurrency({ name: "streams", limit: 2 }),
    ],
  });

type Limiter = ReturnType<typeof limiter>;
const left = async (of: Limiter) =>
  (await of.peek("ada", { cost: 0 })).policies.map(({ remaining }) => remaining);

/** A response of three chunks, and a body that fails after two where it is told to. */
function chunks(fails = false): Response {
  let sent = 0;
  return new Response(
    new ReadableStream({
      pull(controller) {
        sent++;
        if (fails && sent === 3) controller.error(new Error("The origin is gone."));
        else if (sent > 3) controller.close();
        else controller.enqueue(new TextEncoder().encode(`chunk ${sent}\n`));
      },
    }),
    { status: 206, headers: { "x-origin": "yes" } },
  );
}

async function streamedOf(of: Limiter, response = chunks(), cost: Cost = { tokens: 400 }) {
  const hold = await of.reserve("ada", { cost });
  const waiting: Promise<unknown>[] = [];
  const read = hold.stream(response, { waitUntil: (promise) => void waiting.push(promise) });
  return { hold, read, ended: () => Promise.all(waiting) };
}

test("a hold ends with its response's body, which is passed on as it is", async () => {
  const of = limiter();
  const { read, ended } = await streamedOf(of);
  expect([read.status, read.headers.get("x-origin")]).toEqual([206, "yes"]);
  expect(await left(of)).toEqual([4_600, 1]);
  expect(await read.text()).toBe("chunk 1\nchunk 2\nchunk 3\n");
  await ended();
  expect(await left(of)).toEqual([4_600, 2]);
});

test("what waitUntil gets is over with the settlement, and is the settlement", async () => {
  const memory = memoryStore();
  const answered = Promise.withResolvers<void>();
  const refund = vi.spyOn(memory, "refund").mockImplementation(async () => {
    await answered.promise;
    return [1];
  });
  const policies = [concurrency({ name: "streams", limit: 2 })];
  const { read, ended } = await streamedOf(createLimiter({ store: memory, policies }), chunks(), 1);
  let isOver = false;
  const over = ended().then((settlements) => {
    isOver = true;
    return settlements;
  });
  await read.text();
  await vi.waitFor(() => expect(refund).toHaveBeenCalledTimes(1));
  expect(isOver).toBe(false);
  answered.resolve();
  expect(await over).toEqual([{ status: "settled", returned: { streams: 1 }, charged: {} }]);
});

test("a hold ends when the client hangs up, and when the body fails", async () => {
  const of = limiter();
  const cancelled = await streamedOf(of);
  await cancelled.read.body!.cancel();
  await cancelled.ended();
  const failed = await streamedOf(of, chunks(true));
  await expect(failed.read.text()).rejects.toThrow("The origin is gone.");
  await failed.ended();
  expect(await left(of)).toEqual([4_200, 2]);
});

test("a hold that is settled before its response ends keeps that settlement", async () => {
  const of = limiter();
  const { hold, read, ended } = await streamedOf(of);
  await hold.settle({ tokens: 100 });
  await read.text();
  await ended();
  expect(await left(of)).toEqual([4_900, 2]);
});

test("a usage without a cost of its own is charged to the policies that give back, and to no other", async () => {
  const of = createLimiter({
    store: memoryStore(),
    policies: [
      fixedWindow({ name: "requests", limit: 60, window: "1h" }),
      fixedWindow({ name: "login", limit: 60, window: "1h", counts: "failures" }),
      fixedWindow({ name: "tokens", limit: 5_000, window: "1h", refundable: true }),
    ],
  });
  const hold = await of.reserve("ada", { cost: { tokens: 4_000 } });
  expect(hold.reserved).toEqual({ tokens: 4_000 });
  const told = { prompt_tokens: 328, completion_tokens: 484, total_tokens: 812 };
  await hold.stream(Response.json({ usage: told }), { usage }).text();
  expect(await left(of)).toEqual([59, 59, 5_000 - 812]);
  const denied = await of.reserve("ada", { cost: { tokens: 4_500 } });
  expect([denied.allowed, denied.reserved]).toEqual([false, {}]);
});

test("a denied hold passes a response on, too, and one that a list names", async () => {
  const of = createLimiter({
    store: memoryStore(),
    policies: [concurrency({ name: "streams", limit: 1 })],
    lists: { allow: [{ identity: "root" }] },
  });
  await of.reserve("ada");
  for (const identity of ["ada", "root"]) {
    const hold = await of.reserve(identity);
    expect(hold.allowed).toBe(identity === "root");
    expect(await hold.stream(new Response("hello")).text()).toBe("hello");
  }
});

test("chunks that pass keep the slot beyond its ttl, with few calls; one that stands still for the ttl loses it", async () => {
  let nowUs = 0;
  const memory = memoryStore({ now: () => nowUs });
  const extend = vi.spyOn(memory, "extend");
  const policies = [concurrency({ name: "streams", limit: 1, ttl: "60s" })];
  const of = createLimiter({ store: memory, policies });
  const { body, send } = streamed();
  const hold = await of.reserve("ada", { ttl: "10s" });
  const reader = hold.stream(new Response(body)).body!.getReader();
  const isFree = async () => (await of.peek("ada")).allowed;
  for (let second = 0; second < 100; second++) {
    nowUs += 1e6;
    send("chunk");
    await reader.read();
    expect(await isFree()).toBe(false);
  }
  expect(extend).toHaveBeenCalledTimes(20);
  nowUs += 10e6 - 1;
  expect(await isFree()).toBe(false);
  nowUs += 1;
  expect(await isFree()).toBe(true);
  send("late");
  await reader.read();
  expect(await isFree()).toBe(true);
});

test("the chunks of a stream keep a hold for the time by which it was extended, until it is settled", async () => {
  let nowUs = 0;
  const memory = memoryStore({ now: () => nowUs });
  const extend = vi.spyOn(memory, "extend");
  const policies = [concurrency({ name: "streams", limit: 1, ttl: "60s" })];
  const of = createLimiter({ store: memory, policies });
  const { body, send } = streamed();
  const hold = await of.reserve("ada", { ttl: "10s" });
  const reader = hold.stream(new Response(body)).body!.getReader();
  await hold.extend("40s");
  for (const [seconds, calls] of [
    [19, 1],
    [1, 2],
  ] as const) {
    nowUs += seconds * 1e6;
    send("chunk");
    await reader.read();
    expect(extend).toHaveBeenCalledTimes(calls);
  }
  expect((await of.peek("ada")).policies[0]!.retryAfterMs).toBe(40_000);
  await hold.settle();
  nowUs += 30e6;
  send("chunk");
  await reader.read();
  expect(extend).toHaveBeenCalledTimes(2);
});

test("a response that switches protocols leaves its slot to the handler, because the socket has just begun", async () => {
  const of = limiter();
  const upgraded = () => Object.defineProperty(new Response("socket"), "status", { value: 101 });
  const given = upgraded();
  const { hold, read, ended } = await streamedOf(of, given);
  expect(read).toBe(given);
  await ended();
  expect(await left(of)).toEqual([4_600, 1]);
  await hold.release();
  expect(await left(of)).toEqual([5_000, 2]);
});
