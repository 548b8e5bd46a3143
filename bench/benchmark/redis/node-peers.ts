import { RedisStore } from "hono-rate-limiter";
import { RateLimiterRedis } from "rate-limiter-flexible";

import type { ScriptCall } from "./capture.ts";
import type { Subject } from "./subject.ts";

/** It defines its script as a command of an ioredis client. */
export const rateLimiterFlexible: Subject = {
  name: "rate-limiter-flexible",
  async call(identity, cost, { limit, window }) {
    let script = "";
    let sent: string[] = [];
    const storeClient = {
      defineCommand: (_name: string, { lua }: { lua: string }) => (script = lua),
      rlflxIncr: async (values: string[]) => {
        sent = values;
        return [cost, window];
      },
    };
    const options = { storeClient, points: limit, duration: window / 1000 };
    await new RateLimiterRedis(options).consume(identity, cost);
    const [key, ...args] = sent;
    return { script, keys: [key!], args };
  },
  admits: (reply, { limit }) => (reply as [number])[0] <= limit,
};

/** It knows no cost, and compares the count with the limit in the client. */
export const honoRateLimiter: Subject = {
  name: "hono-rate-limiter",
  decidesInClient: true,
  async call(identity, _cost, { window }) {
    const scripts: string[] = [];
    let call: ScriptCall | undefined;
    const store = new RedisStore({
      client: {
        scriptLoad: async (script) => String(scripts.push(script) - 1),
        evalsha: async (index, keys, args) => {
          call = { script: scripts[Number(index)]!, keys, args: args.map(String) };
          return [1, window] as never;
        },
        decr: async () => 0,
        del: async () => 0,
      },
    });
    store.init({ windowMs: window } as never);
    await store.increment(identity);
    return call!;
  },
  admits: (reply, { limit }) => (reply as [number])[0] <= limit,
};
