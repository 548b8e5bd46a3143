import type { Asked } from "../../bench/surge/driver/records.ts";
import type { Promised, Run } from "../../bench/surge/figures/measure.ts";
import type { Intention, Kind, Person } from "../../bench/surge/people/person.ts";
import type { Load } from "../../bench/surge/run/children.ts";

/** The clock when a made-up run begins. */
export const BEGIN_MS = 5_000;

export function personOf(kind: Kind, ...wishesMs: readonly number[]): Person {
  const intentions = wishesMs.map((atMs): Intention => ({ atMs, endpoint: "rides" }));
  return { id: kind, kind, intentions, seed: 1 };
}

export const loadAt = (ms: number, calls: number, waiting: number): Load => ({
  kind: "load",
  atMs: BEGIN_MS + ms,
  calls,
  done: calls,
  busy: 0,
  waiting,
});

/** A person's request: times are milliseconds after the run began. */
export interface Made extends Partial<
  Pick<Asked, "person" | "askedRedis" | "withoutRedis" | "wanted" | "endpoint">
> {
  readonly atMs: number;
  readonly tookMs: number;
  readonly status: number;
  /** How late the driver was. */
  readonly lateMs?: number;
  /** After it was sent; absent if it never arrived. */
  readonly arrivedMs?: number;
}

export function madeRun(
  people: readonly Person[],
  made: readonly Made[],
  more: { readonly loads?: readonly Load[]; readonly promises?: readonly Promised[] } = {},
): Run {
  const asked = made.map(({ atMs, tookMs, lateMs = 0, status, ...each }): Asked => {
    const meantMs = BEGIN_MS + atMs;
    return {
      person: each.person ?? 0,
      endpoint: each.endpoint ?? "rides",
      intention: { atMs, endpoint: "rides" },
      meantMs,
      sentMs: meantMs + lateMs,
      endMs: meantMs + tookMs,
      status,
      askedRedis: each.askedRedis ?? false,
      withoutRedis: each.withoutRedis ?? false,
      wanted: each.wanted ?? false,
    };
  });
  return {
    people,
    phases: { quietMs: 1_000, surgeMs: 2_000, afterMs: 1_000 },
    capacity: 10,
    beginMs: BEGIN_MS,
    asked,
    arrivals: Float64Array.from(made, ({ arrivedMs }, i) =>
      arrivedMs === undefined ? 0 : asked[i]!.sentMs + arrivedMs,
    ),
    loads: more.loads ?? [],
    redisCalls: 7,
    promises: more.promises ?? [],
    driverMs: 2,
  };
}
