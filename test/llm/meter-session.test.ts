import fc from "fast-check";
import { expect, test } from "vitest";

import {
  concurrency,
  createLimiter,
  fixedWindow,
  memoryStore,
  refundable,
} from "../../src/index.ts";
import { meterSession, type SessionOptions } from "../../src/llm.ts";
import type { Usage } from "../../src/llm/usage.ts";
import {
  answered,
  LIVE,
  NOVA_TURN_ENDED,
  novaUsage,
  REFUSED,
  spoken,
  TRANSCRIBED,
} from "../support/llm/sessions.ts";
import { runs } from "../support/runs.ts";

const LIMIT = 1_000_000;
const ESTIMATE = 4_000;

function sessionWith(cost: (usage: Usage) => number = ({ totalTokens }) => totalTokens) {
  const limiter = createLimiter({
    store: memoryStore(),
    policies: [
      fixedWindow({ name: "tokens", limit: LIMIT, window: "1d", refundable: refundable() }),
      concurrency({ name: "turns", limit: 2, ttl: "2m" }),
    ],
  });
  const session = meterSession(limiter, "ada", {
    estimate: { tokens: ESTIMATE },
    cost: (usage) => ({ tokens: cost(usage) }),
  });
  const books = async () => {
    const { policies } = await limiter.peek("ada");
    return { tokens: LIMIT - policies[0]!.remaining, turns: 2 - policies[1]!.remaining };
  };
  const meterAll = async (messages: readonly object[]) => {
    for (const message of messages) await session.meter(JSON.stringify(message));
  };
  return { session, books, meterAll };
}

test("each turn over a WebSocket ends at its own usage, and frees its slot", async () => {
  const { session, books, meterAll } = sessionWith();
  await session.reserve();
  expect(await books()).toEqual({ tokens: 4_000, turns: 1 });
  await meterAll(answered("resp_1", { inputTokens: 328, outputTokens: 52, cachedTokens: 128 }));
  expect(await books()).toEqual({ tokens: 380, turns: 0 });
  await session.reserve({ tokens: 9_000 });
  const [created, , completed] = answered("resp_2", { inputTokens: 400, outputTokens: 100 });
  await meterAll([created!]);
  expect(await books()).toEqual({ tokens: 9_380, turns: 1 });
  await meterAll([completed!]);
  expect(await books()).toEqual({ tokens: 880, turns: 0 });
  await session.end();
  expect(await books()).toEqual({ tokens: 880, turns: 0 });
});

test("a message may be a text, bytes or the object, and anything else is passed over", async () => {
  const { session, books } = sessionWith();
  const [, , done] = answered("resp_1", { inputTokens: 300, outputTokens: 80 });
  const text = JSON.stringify(done);
  const bytes = new TextEncoder().encode(text.replace("resp_1", "resp_2"));
  const [, , object] = answered("resp_3", { inputTokens: 300, outputTokens: 80 });
  for (const message of [text, bytes, bytes.buffer, object!, "", "no JSON", "[1]", "7", "{}"]) {
    await session.meter(message as string);
  }
  // The bytes and their buffer name the same answer.
  expect((await books()).tokens).toBe(3 * 380);
});

test("a refused turn costs nothing, and one that is cut off its estimate or what it has told", async () => {
  const { session, books, meterAll } = sessionWith();
  await session.reserve();
  await meterAll([REFUSED]);
  expect(await books()).toEqual({ tokens: 0, turns: 0 });
  await session.reserve();
  await meterAll([
    { type: "response.failed", response: { id: "resp_1", status: "failed", usage: null } },
  ]);
  expect(await books()).toEqual({ tokens: 4_000, turns: 0 });
  await session.reserve();
  await meterAll(answered("resp_2", { inputTokens: 1, outputTokens: 1 }).slice(0, 2));
  await session.end();
  expect(await books()).toEqual({ tokens: 8_000, turns: 0 });
});

test("a turn that the provider began by itself is charged, its estimate where the session ends in it", async () => {
  const { session, books, meterAll } = sessionWith();
  await meterAll(spoken("resp_1", { inputTokens: 900, outputTokens: 100 }));
  expect((await books()).tokens).toBe(1_000);
  await meterAll(spoken("resp_2", { inputTokens: 900, outputTokens: 100 }).slice(0, 2));
  await session.end();
  expect((await books()).tokens).toBe(5_000);
});

test("audio in a turn is priced as audio, also of one that the user has interrupted", async () => {
  // Text 4 in and 16 out, of which cached .4; audio 32 in and 64 out.
  const cost = (usage: Usage) => {
    const { audioInputTokens: heard = 0, audioOutputTokens: said = 0, cachedTokens = 0 } = usage;
    const text = (usage.inputTokens - heard - cachedTokens) * 4 + cachedTokens * 0.4;
    return text + heard * 32 + (usage.outputTokens - said) * 16 + said * 64;
  };
  const { session, books, meterAll } = sessionWith(cost);
  await session.reserve({ tokens: 50_000 });
  const turn = {
    inputTokens: 132,
    outputTokens: 121,
    cachedTokens: 60,
    audioInputTokens: 13,
    audioOutputTokens: 91,
  };
  await meterAll(spoken("resp_1", turn, "cancelled"));
  // 59 of text, 60 cached, 13 heard; 30 written, 91 said.
  expect((await books()).tokens).toBe(59 * 4 + 24 + 13 * 32 + 30 * 16 + 91 * 64);
});

test("what runs beside the turns, such as a transcription, is charged beside them", async () => {
  const { session, books, meterAll } = sessionWith();
  await session.reserve();
  await meterAll([TRANSCRIBED]);
  expect(await books()).toEqual({ tokens: 4_048, turns: 1 });
  await meterAll(spoken("resp_1", { inputTokens: 132, outputTokens: 121 }));
  expect(await books()).toEqual({ tokens: 301, turns: 0 });
});

test("a transcription by the second is charged as audio, and one without numbers as a turn", async () => {
  const { books, meterAll } = sessionWith();
  const by = (usage: object) => ({ ...TRANSCRIBED, usage });
  await meterAll([by({ type: "duration", seconds: 3.2 })]);
  expect((await books()).tokens).toBe(32);
  await meterAll([by({ type: "duration", minutes: 2 })]);
  expect((await books()).tokens).toBe(32 + ESTIMATE);
});

test("answers that run at the same time end at their own usages, in any order", async () => {
  const { session, books, meterAll } = sessionWith();
  const one = spoken("resp_1", { inputTokens: 100, outputTokens: 10 });
  const two = spoken("resp_2", { inputTokens: 200, outputTokens: 20 });
  await session.reserve({ tokens: 1_000 });
  await session.reserve({ tokens: 9_000 });
  await meterAll([one[0]!, two[0]!, two[2]!]);
  expect((await books()).tokens).toBe(1_220);
  await meterAll([one[2]!]);
  expect(await books()).toEqual({ tokens: 330, turns: 0 });
});

test("Gemini's Live API tells each time that the model ran, with thoughts beside its total", async () => {
  const { session, books, meterAll } = sessionWith();
  for (const times of [1, 2]) {
    await session.reserve();
    await meterAll(LIVE);
    expect(await books()).toEqual({ tokens: times * (522 + 42 + 136), turns: 0 });
  }
});

test("of a session that tells its numbers so far, each turn pays what it added", async () => {
  const { session, books, meterAll } = sessionWith(
    ({ totalTokens, audioInputTokens = 0, audioOutputTokens = 0 }) =>
      totalTokens + 9 * (audioInputTokens + audioOutputTokens),
  );
  await session.reserve();
  await meterAll([novaUsage(40, 100, 0, 0), novaUsage(40, 100, 60, 20), NOVA_TURN_ENDED]);
  expect(await books()).toEqual({ tokens: 220 + 9 * 100, turns: 0 });
  await session.reserve();
  await meterAll([novaUsage(70, 100, 110, 30), NOVA_TURN_ENDED]);
  expect(await books()).toEqual({ tokens: 310 + 9 * 180, turns: 0 });
  // The session ends in a turn: its estimate, and what it has told.
  await session.reserve();
  await meterAll([novaUsage(71, 100, 110, 30)]);
  await session.end();
  expect(await books()).toEqual({ tokens: 311 + 9 * 181 + 4_000, turns: 0 });
});

test("an end that comes again is not that of the next turn", async () => {
  const { session, books, meterAll } = sessionWith();
  await session.reserve();
  const messages = answered("resp_1", { inputTokens: 300, outputTokens: 80 });
  await meterAll(messages);
  await session.reserve();
  await meterAll(messages);
  expect(await books()).toEqual({ tokens: 4_380, turns: 1 });
});

test("a denied turn is not waited for", async () => {
  const { session, books, meterAll } = sessionWith();
  await session.reserve({ tokens: 1 });
  await session.reserve({ tokens: 1 });
  expect((await session.reserve({ tokens: 1 })).allowed).toBe(false);
  await meterAll(answered("resp_1", { inputTokens: 5, outputTokens: 5 }));
  await session.end();
  expect(await books()).toEqual({ tokens: 11, turns: 0 });
});

test("whatever messages are lost, repeated or out of order, reserved turns are booked at no less than the bill", async () => {
  const turn = fc.record({ inputTokens: fc.nat(2_000), outputTokens: fc.nat(2_000) });
  const fate = fc.record({ isLost: fc.boolean(), isTwice: fc.boolean(), place: fc.nat(60) });
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { minLength: 1, maxLength: 4 }),
      fc.array(fate, { minLength: 12, maxLength: 12 }),
      async (turns, fates) => {
        const { session, books, meterAll } = sessionWith();
        let reserved = 0;
        for (let i = 0; i < turns.length; i += 2) {
          const pair = turns.slice(i, i + 2);
          for (const _ of pair) reserved += (await session.reserve()).allowed ? 1 : 0;
          const messages = pair.flatMap((each, k) => spoken(`resp_${i + k}`, each));
          const drawn = messages.flatMap((message, k) => {
            const { isLost, isTwice, place } = fates[i * 3 + k]!;
            const at = { message, place: k * 10 + place };
            return isLost ? [] : isTwice ? [at, at] : [at];
          });
          await meterAll(drawn.toSorted((a, b) => a.place - b.place).map(({ message }) => message));
          if (reserved < i + pair.length) return;
        }
        await session.end();
        const bill = turns.reduce((sum, each) => sum + each.inputTokens + each.outputTokens, 0);
        expect((await books()).tokens).toBeGreaterThanOrEqual(bill);
        expect((await books()).turns).toBe(0);
      },
    ),
    { numRuns: runs(300) },
  );
});

test("options that are wrong are named, all at once", () => {
  const limiter = createLimiter({
    store: memoryStore(),
    policies: [fixedWindow({ name: "tokens", limit: 9, window: "1d", refundable: refundable() })],
  });
  const options = { cost: 5, wait: 1 } as unknown as SessionOptions;
  expect(() => meterSession(limiter, "ada", options)).toThrow(/wait[^]*cost: 5: Give a function/);
});
