import type { RedisClient } from "../../src/store/redis/client.ts";
import type { Call } from "./call.ts";
import {
  connectionBroke,
  drawFate,
  redisError,
  timedOut,
  type Weather,
} from "./network-weather.ts";
import type { Command } from "./redis/script-engine.ts";
import type { SimulatedRedis } from "./redis/simulated-redis.ts";
import type { Scheduler } from "./scheduler.ts";

export interface Network {
  /** The client of an isolate, with the timeout of a request in milliseconds if it gives up by itself. */
  client(isolate: number, abortsAfter: () => number | undefined): RedisClient;
  /** Changes the weather of one isolate, or of all. */
  change(weather: Weather, isolate?: number): void;
}

/** Messages take their time and get lost, but the network never doubles one: a call that runs twice was sent twice. */
export function createNetwork(
  scheduler: Scheduler,
  redis: SimulatedRedis,
  isolates: number,
  calm: Weather,
  sending: (call: Call) => void,
  replied: (call: Call) => void,
): Network {
  const weathers = Array<Weather>(isolates).fill(calm);

  function send(
    isolate: number,
    abortsAfter: number | undefined,
    command: Command,
  ): Promise<unknown> {
    const call = scheduler.running!;
    call.commands++;
    sending(call);
    const { there, back, executed, instead } = drawFate(call.random, weathers[isolate]!);
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();

    let open = true;
    const settle = (received: Call["received"], how: () => void) => {
      if (!open) return;
      open = false;
      call.received = received;
      if (received === "reply") replied(call);
      how();
    };
    if (abortsAfter !== undefined) {
      const giveUp = () => settle("ERR_STORE_TIMEOUT", () => reject(timedOut()));
      scheduler.at(call.isolate.clock.timeAfter(abortsAfter), giveUp, call);
    }

    const deliver = (received: Call["received"], how: () => void) =>
      scheduler.at(scheduler.now + back, () => settle(received, how), call);
    scheduler.at(scheduler.now + there, () => {
      const fail = (failure: typeof instead) => {
        if (failure === undefined || failure === "silence") return;
        deliver(failure.code, () =>
          "error" in failure ? reject(failure.error) : resolve(failure.value),
        );
      };
      if (!executed) return fail(instead);
      redis.receive(command, call, (answer) => {
        if (instead) fail(instead);
        else if (answer === "unreachable") fail(connectionBroke());
        else if ("error" in answer) {
          // Only the product knows whether it has an answer to this error.
          deliver(undefined, () => reject(redisError(answer.error, call.random)));
        } else deliver("reply", () => resolve(answer.reply));
      });
    });
    return promise;
  }

  return {
    client: (isolate, abortsAfter) => ({
      evalsha: (sha1, keys, args) => send(isolate, abortsAfter(), { sha1, keys, args }),
      eval: (script, keys, args) => send(isolate, abortsAfter(), { script, keys, args }),
    }),
    change(weather, isolate) {
      if (isolate === undefined) weathers.fill(weather);
      else weathers[isolate] = weather;
    },
  };
}
