import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";

import { expect, test } from "vitest";

import { ask, Cancelled } from "../../packages/create-tidegate/src/ask.ts";
import type { Given } from "../../packages/create-tidegate/src/options.ts";

const ENTER = "\r";
const DOWN = "\u001B[B";
const CTRL_C = "\u0003";

/** Asks in a terminal; each key is pressed at a question, after it has been shown. */
async function answered(given: Given, keys: readonly [question: string, keys: string][]) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode() {} });
  const output = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
  let shown = "";
  output.on("data", (chunk) => (shown += chunk));
  const settled = ask(given, { input, output });
  settled.catch(() => {});
  for (const [question, pressed] of keys) {
    while (!shown.includes(question)) await turn();
    shown = "";
    input.write(pressed);
  }
  return settled;
}

test("asks for each thing, and takes the first choices", async () => {
  const settings = await answered({}, [
    ["Which folder?", ENTER],
    ["Where does it run?", ENTER],
    ["address of your API", `https://api.example.com${ENTER}`],
    ["Where does it count?", ENTER],
  ]);
  expect(settings).toEqual({
    // This folder is not empty.
    folder: "gateway",
    platform: "cloudflare",
    origin: "https://api.example.com",
    store: "durable-object",
  });
});

test("asks neither for given settings, nor where there is no choice", async () => {
  const given = { folder: "new", origin: "https://api.example.com" };
  const settings = await answered(given, [["Where does it run?", DOWN + ENTER]]);
  expect(settings).toEqual({ ...given, platform: "vercel", store: "redis" });
});

test("offers only platforms with the given store", async () => {
  const given: Given = { folder: "new", origin: "https://api.example.com", store: "memory" };
  const settings = await answered(given, [["Where does it run?", DOWN + ENTER]]);
  expect(settings.platform).toBe("node");
});

test("refuses a value that is no origin, and can be cancelled", async () => {
  const given: Given = { folder: "new", platform: "vercel" };
  const cancelled = answered(given, [
    ["address of your API", `api${ENTER}`],
    ["The origin is the address", CTRL_C],
  ]);
  await expect(cancelled).rejects.toThrow(Cancelled);
});
