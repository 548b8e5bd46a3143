// Prints how many bytes of memory a remembered denial takes. Run with --expose-gc and the limiter's name.

import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";

import { tidegate, upstash } from "./limiters.ts";

// Megabytes of code that only started this process would be dropped at some time, and hide what denials take.
setFlagsFromString("--no-flush-bytecode");

const [, , name, count] = process.argv;
const entries = Number(count);
const options = { admits: false, maxEntries: entries };
const decide = name === "tidegate" ? tidegate(options) : upstash(options);

async function held(): Promise<number> {
  // Timers of the guarded calls hold on to what they would reject.
  await pause(300);
  // What typed arrays held goes only some collections later.
  for (let collection = 0; collection < 5; collection++) {
    globalThis.gc!();
    await pause(20);
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  // What typed arrays hold is not part of the heap.
  return heapUsed + arrayBuffers;
}

// What is compiled and allocated once is not counted.
for (let i = 0; i < 1_000; i++) await decide(`warm-up-${i}`);
const before = await held();
// A thousand of its entries have to make room, which changes nothing about the size of one.
for (let i = 0; i < entries; i++) await decide(`2001:db8:${i.toString(16)}::/64`);
console.log(((await held()) - before) / (entries - 1_000));
// What is measured has to live until now.
await decide("last");
