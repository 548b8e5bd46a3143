import { createLimiter, fixedWindow, memoryStore, refundable } from "../../src/index.ts";
import { usage } from "../../src/llm.ts";

const most = Number.MAX_SAFE_INTEGER;

/** The tokens that a hold is settled at by a response, of which so many were reserved. */
export async function booked(response: Response, reserved: number): Promise<number> {
  const tokens = fixedWindow({
    name: "tokens",
    limit: most,
    window: "1d",
    refundable: refundable(),
  });
  const limiter = createLimiter({ store: memoryStore(), policies: [tokens] });
  const hold = await limiter.reserve("ada", { cost: reserved });
  const ended: Promise<unknown>[] = [];
  const sent = hold.stream(response, { usage, waitUntil: (promise) => void ended.push(promise) });
  await sent.arrayBuffer().catch(() => undefined);
  await Promise.all(ended);
  return most - (await limiter.peek("ada")).policies[0]!.remaining;
}
