import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate } from "node:timers";

import type { Call } from "./call.ts";

interface Event {
  readonly at: number;
  /** Whose work it is: the product's timers and commands of that moment are this call's. */
  readonly call: Call | undefined;
  readonly run: () => void;
}

export interface Scheduler {
  /** Virtual time in microseconds; it goes as fast as the server's clock. */
  readonly now: number;
  /** The call on whose behalf the product is at work, also when it goes on with it after another call's event. */
  readonly running: Call | undefined;
  /** Does something on behalf of a call. */
  runAs(call: Call | undefined, run: () => void): void;
  at(time: number, run: () => void, call?: Call): Event;
  cancel(event: Event): void;
  /** Works off everything that is due up to a time, which is then the present. */
  advance(until: number): Promise<void>;
  /** Does something now, and lets the product finish with it. */
  act(run: () => unknown): Promise<void>;
  /** When the last event is due; the present if there is none. */
  readonly end: number;
}

/** Virtual time: one event after the other, the next one only when the product has nothing left to do with the last. */
export function createScheduler(afterEach: () => void): Scheduler {
  // In the order they are due; at the same time, in the order they were made.
  const queue: Event[] = [];
  const running = new AsyncLocalStorage<Call | undefined>();
  let now = 0;

  const scheduler: Scheduler = {
    get running() {
      return running.getStore();
    },
    runAs: (call, run) => running.run(call, run),
    get now() {
      return now;
    },
    get end() {
      return queue.at(-1)?.at ?? now;
    },

    at(time, run, call) {
      const event = { at: Math.max(time, now), call, run };
      let index = queue.length;
      while (index > 0 && queue[index - 1]!.at > event.at) index--;
      queue.splice(index, 0, event);
      return event;
    },

    cancel(event) {
      const index = queue.indexOf(event);
      if (index !== -1) queue.splice(index, 1);
    },

    async advance(until) {
      while (queue.length > 0 && queue[0]!.at <= until) {
        const { at, call, run } = queue.shift()!;
        now = at;
        await scheduler.act(() => scheduler.runAs(call, run));
      }
      now = Math.max(now, until);
    },

    async act(run) {
      run();
      // A real turn of the event loop, and no timer: it comes after every promise that can be settled is.
      await new Promise((resolve) => setImmediate(resolve));
      afterEach();
    },
  };
  return scheduler;
}
