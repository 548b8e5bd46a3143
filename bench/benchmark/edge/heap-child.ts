// Prints how many bytes of memory a remembered denial takes. Run with --expose-gc and the limiter's name.

import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";

import { tidegate, upstash } from "./limiters.ts";

// Megabytes of code that only started this process would be dropped at some time, and hide the memory of denials.
setFlagsFromString("--no-flush-bytecode");

const [, , name, count] = process.argv;
const entries = Number(count);
const options = { admits: false, maxEntries: entries };
const decide = name === "tidegate" ? tidegate(options) : upstash(options);

async function held(): Promise<number> {
  // Timers of the guarded calls still reference the promises that they would reject.
  await pause(300);
  // The memory of typed arrays is freed only some collections later.
  for (let collection = 0; collection < 5; collection++) {
    globalThis.gc!();
    await pause(20);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  // The memory of typed arrays is not part of the heap.
  return heapUsed + arrayBuffers;
}

// Code compiled once and memory allocated once are not counted.
for (let i = 0; i < 1_000; i++) await decide(`warm-up-${i}`);
const before = await held();
// A thousand of its entries have to make room; the size of an entry stays the same.
for (let i = 0; i < entries; i++) await decide(`2001:db8:${i.toString(16)}::/64`);
console.log(((await held()) - before) / (entries - 1_000));
// The measured object has to live until now.
await decide("last");
