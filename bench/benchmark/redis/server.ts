import { Redis } from "ioredis";

import { startRedisServer } from "../../../scripts/support/redis-server.ts";
import { prefer } from "../../support/priority.ts";
import { spread } from "../compare.ts";
import type { ScriptCall } from "./commands.ts";

export interface Sample {
  /** Microseconds of Redis's time per script call. */
  readonly cpu: number;
  readonly replies: readonly unknown[];
}

export interface BenchRedis {
  readonly redis: Redis;
  readonly url: string;
  /** Sends calls without measuring them. */
  send(calls: readonly ScriptCall[]): Promise<unknown[]>;
  measure(calls: readonly ScriptCall[]): Promise<Sample>;
  close(): Promise<void>;
}

/**
 * Calls that are measured at once. Redis counts the time that passes, with all that the system gives to others
 * meanwhile: of many short measurements few are hit by that, and the median is one that is not.
 */
const BATCH = 40;

/** A Redis of its own, so that no other client changes its statistics. */
export async function openRedis(): Promise<BenchRedis> {
  const server = await startRedisServer();
  prefer(server.pid);
  const redis = new Redis(server.url, { disableClientInfo: true });
  const known = new Map<string, string>();

  async function shaOf(script: string): Promise<string> {
    const sha = known.get(script) ?? String(await redis.script("LOAD", script));
    known.set(script, sha);
    return sha;
  }

  async function send(calls: readonly ScriptCall[]): Promise<unknown[]> {
    const pipeline = redis.pipeline();
    for (const { script, keys, args } of calls) {
      pipeline.evalsha(await shaOf(script), keys.length, ...keys, ...args);
    }
    const rows = (await pipeline.exec()) ?? [];
    return rows.map(([error, reply]) => {
      if (error) throw error;
      return reply;
    });
  }

  return {
    redis,
    url: server.url,
    send,

    async measure(calls) {
      const replies: unknown[] = [];
      const cpu: number[] = [];
      for (let at = 0; at < calls.length; at += BATCH) {
        const batch = calls.slice(at, at + BATCH);
        await redis.config("RESETSTAT");
        replies.push(...(await send(batch)));
        const stats = await redis.info("commandstats");
        const microseconds = Number(/cmdstat_evalsha:calls=\d+,usec=(\d+)/.exec(stats)![1]);
        cpu.push(microseconds / batch.length);
      }
      return { cpu: spread(cpu).median, replies };
    },

    async close() {
      // The connection goes last: the server alone does not keep this process from ending before it.
      redis.on("error", () => {});
      await server.stop();
      redis.disconnect();
    },
  };
}
