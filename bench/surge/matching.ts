import { randomLcg, randomLogNormal } from "d3-random";

export interface MatchingOptions {
  /** The calls per second that it can do while no caller waits. */
  readonly capacity: number;
  /** Calls that it does at once. */
  readonly workers: number;
  readonly seed: number;
}

/** The service behind the API that finds a driver: a pool of workers, and a queue before it. */
export interface Matching {
  /** Resolves with whether it did the work; it does it even if the caller no longer waits. */
  match(): Promise<boolean>;
  readonly calls: number;
  readonly waiting: number;
}

/** Beyond that, a call is refused at once. */
const QUEUE_LIMIT = 3_000;
/** Waiting calls hold locks and memory: with the queue full, each call takes this many times as long. */
const SLOWEST = 1.8;
/** How much service times differ, as the sigma of their logarithm. */
const SPREAD = 0.15;

export function createMatching({ capacity, workers, seed }: MatchingOptions): Matching {
  const draw = randomLogNormal.source(randomLcg(seed / 2 ** 32))(-(SPREAD ** 2) / 2, SPREAD);
  const meanMs = (workers / capacity) * 1000;
  const queue: (() => void)[] = [];
  let [calls, busy] = [0, 0];

  function begin(done: () => void): void {
    busy++;
    const contention = 1 + (SLOWEST - 1) * (queue.length / QUEUE_LIMIT);
    const end = () => {
      busy--;
      if (queue.length > 0) begin(queue.shift()!);
      done();
    };
    setTimeout(end, draw() * meanMs * contention);
  }

  return {
    async match() {
      calls++;
      if (queue.length >= QUEUE_LIMIT) return false;
      await new Promise<void>((done) => (busy < workers ? begin(done) : queue.push(done)));
      return true;
    },
    get calls() {
      return calls;
    },
    get waiting() {
      return queue.length;
    },
  };
}
