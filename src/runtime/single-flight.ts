import { setRecent } from "./lru.ts";
import { createWaitingRoom, type WaitingRoom } from "./waiting-room.ts";

/**
 * When a known denial has expired, one request of its partition asks the store, and the others wait for the answer.
 * Each has its own timer: on Workers the request that asks may be gone before its answer arrives.
 */
export interface SingleFlight {
  /**
   * Asks for all requests that join. They continue when `ask` has answered or failed.
   *
   * @param nowMs the isolate's clock
   */
  run<Answer>(
    partition: string,
    costs: readonly number[],
    nowMs: number,
    ask: () => Promise<Answer>,
  ): Promise<Answer>;
  /**
   * Waits for the end of a flight whose answer may also deny these costs. `undefined` if there is none, or if the
   * request has waited for `MAX_WAIT_MS` since it arrived.
   */
  join(
    partition: string,
    costs: readonly number[],
    arrivedAtMs: number,
    nowMs: number,
  ): Promise<unknown> | undefined;
}

/**
 * The longest wait for other requests or for a flight: a round trip to another continent. On Workers a request ends
 * with its client's connection, and a flight of such a request never ends.
 */
export const MAX_WAIT_MS = 150;

/** Far more than run at once, so that only flights that never end are dropped. */
const MAX_FLIGHTS = 1_000;

interface Flight {
  readonly costs: readonly number[];
  readonly startedAtMs: number;
  readonly room: WaitingRoom;
}

/** @param rowCount the number of policies */
export function createSingleFlight(rowCount: number): SingleFlight {
  const flights = new Map<string, Flight>();

  return {
    async run(partition, costs, startedAtMs, ask) {
      const flight: Flight = { costs, startedAtMs, room: createWaitingRoom() };
      setRecent(flights, partition, flight, MAX_FLIGHTS);
      try {
        return await ask();
      } finally {
        if (flights.get(partition) === flight) flights.delete(partition);
        flight.room.letGoOn();
      }
    },

    join(partition, costs, arrivedAtMs, nowMs) {
      const flight = flights.get(partition);
      if (flight === undefined) return undefined;
      for (let row = 0; row < rowCount; row++) {
        if (costs[row]! < flight.costs[row]!) return undefined;
      }
      const leftMs = Math.min(arrivedAtMs, flight.startedAtMs) + MAX_WAIT_MS - nowMs;
      return leftMs > 0 ? flight.room.wait(leftMs) : undefined;
    },
  };
}
