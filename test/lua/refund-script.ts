import type { Redis } from "ioredis";

import type { RefundRequest } from "../../src/algorithms/model.ts";
import { REFUND } from "../../src/algorithms/scripts.generated.ts";
import type { Algorithm } from "../../src/policy/policy.ts";
import { scriptOf } from "../../src/store/redis/script.ts";
import { EVERY_IMPLEMENTATION } from "../support/policy/implementations.ts";

/** The refund script as it ships, with the clock after its arguments: seconds, then microseconds. */
const timed = scriptOf(REFUND).text.replace("redis.call('TIME')", "{ARGV[#ARGV-1],ARGV[#ARGV]}");

/** The refund of one policy on a real Redis, with the caller's clock instead of the server's. Tells how much came back. */
export function refundScript(redis: Redis, algorithm: Algorithm) {
  let sha1: Promise<string> | undefined;

  return async function refund(
    key: string,
    { nowUs, takenAtUs, cost, limit, parameters }: RefundRequest,
  ): Promise<number> {
    sha1 ??= redis.script("LOAD", timed) as Promise<string>;
    const numbers = EVERY_IMPLEMENTATION[algorithm].parameters.map((name) => parameters[name]!);
    const group = [cost, algorithm, limit, ...numbers];
    const clock = [Math.floor(nowUs / 1e6), nowUs % 1e6];
    const reply = await redis.evalsha(await sha1, 1, key, takenAtUs, ...group, ...clock);
    const [now, given] = reply as [number, number];
    if (now !== nowUs) throw new Error(`the script's clock shows ${now}, not ${nowUs}`);
    return given;
  };
}
