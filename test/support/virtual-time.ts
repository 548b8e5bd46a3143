/** Time that passes when all tasks wait for it, in whole microseconds. */
export interface VirtualTime {
  now(): number;
  /** Runs something at a time to come. */
  at(time: number, run: () => unknown): void;
  /** Waits for virtual time to pass. */
  pass(microseconds: number): Promise<void>;
  /** Waits for something real while virtual time stands still. */
  hold<T>(real: Promise<T>): Promise<T>;
  /** Runs until no timer is left. */
  run(): Promise<void>;
}

export function virtualTime(start: number): VirtualTime {
  let now = start;
  /** Runs a turn of the event loop's worth of promises: enough for code without real I/O. */
  const settle = async () => {
    for (let turn = 0; turn < 32; turn++) await Promise.resolve();
  };
  const events = new EventHeap();
  const held = new Set<Promise<unknown>>();

  return {
    now: () => now,
    at: (time, run) => events.push(time, run),
    pass: (microseconds) =>
      new Promise((resolve) => events.push(now + microseconds, () => resolve())),
    async hold(real) {
      held.add(real);
      try {
        return await real;
      } finally {
        held.delete(real);
      }
    },
    async run() {
      for (let event = events.pop(); event; event = events.pop()) {
        now = event.time;
        event.run();
        await settle();
        while (held.size > 0) {
          await Promise.allSettled(held);
          await settle();
        }
      }
    },
  };
}

/** Puts virtual timers in the place of the real ones. Returns a function that puts those back. */
export function installTimers(time: VirtualTime): () => void {
  const { setTimeout, clearTimeout } = globalThis;
  const cleared = new Set<unknown>();
  let timers = 0;
  globalThis.setTimeout = ((run: () => void, milliseconds: number) => {
    const timer = ++timers;
    time.at(time.now() + Math.ceil(milliseconds * 1000), () => cleared.delete(timer) || run());
    return timer;
  }) as unknown as typeof setTimeout;
  globalThis.clearTimeout = ((timer: unknown) => cleared.add(timer)) as typeof clearTimeout;
  return () => {
    Object.assign(globalThis, { setTimeout, clearTimeout });
  };
}

interface Event {
  readonly time: number;
  readonly order: number;
  readonly run: () => unknown;
}

/** A binary heap: the earliest event first, among equals the one that was pushed first. */
class EventHeap {
  readonly #events: Event[] = [];
  #pushed = 0;

  push(time: number, run: () => unknown): void {
    const events = this.#events;
    let at = events.push({ time, order: this.#pushed++, run }) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (earlier(events[parent]!, events[at]!)) break;
      [events[parent], events[at]] = [events[at]!, events[parent]!];
      at = parent;
    }
  }

  pop(): Event | undefined {
    const events = this.#events;
    const first = events[0];
    const last = events.pop();
    if (first === undefined || last === undefined || events.length === 0) return first;
    events[0] = last;
    for (let at = 0; ;) {
      let least = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < events.length && earlier(events[child]!, events[least]!)) least = child;
      }
      if (least === at) return first;
      [events[least], events[at]] = [events[at]!, events[least]!];
      at = least;
    }
  }
}

function earlier(a: Event, b: Event): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}
