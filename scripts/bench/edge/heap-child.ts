// Prints how many bytes of heap a remembered denial takes. Run with --expose-gc and the limiter's name.

import { tidegate, upstash } from "./limiters.ts";

const [, , name, count] = process.argv;
const entries = Number(count);
const options = { admits: false, maxEntries: entries };
const decide = name === "tidegate" ? tidegate(options) : upstash(options);

function heap(): number {
  globalThis.gc!();
  return process.memoryUsage().heapUsed;
}

// What is compiled and allocated once is not counted.
for (let i = 0; i < 1_000; i++) await decide(`warm-up-${i}`);
// Timers of the guarded calls hold on to what they would reject.
const settle = () => new Promise((resolve) => setTimeout(resolve, 300));
await settle();
const before = heap();
// A thousand of its entries have to make room, which changes nothing about the size of one.
for (let i = 0; i < entries; i++) await decide(`2001:db8:${i.toString(16)}::/64`);
await settle();
console.log((heap() - before) / (entries - 1_000));
// What is measured has to live until now.
await decide("last");
