import { expect, test } from "vitest";

import {
  type MetricsBatch,
  type MetricsStore,
  MINUTE_MS,
  SETS,
} from "../../src/store/metrics-store.ts";

/** A moment at which a minute, an hour and ten minutes begin. */
const MORNING = Date.UTC(2031, 0, 1, 9);
const MINUTE = MORNING / MINUTE_MS;

const batch = (number: number, more: Partial<MetricsBatch> = {}): MetricsBatch => ({
  isolate: "isolate",
  number,
  minutes: [],
  tops: { denied: [], near: [] },
  atMs: MORNING,
  ...more,
});

const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => [`r${from + i}`, 1] as const);

/** What every store of metrics does. */
export function metricsContract(open: () => MetricsStore): void {
  const fieldsOf = async (store: MetricsStore, ...sets: readonly string[]) =>
    (await store.read("hashes", sets, [])).map((counts) => Object.fromEntries(counts));
  const topOf = async (store: MetricsStore, ms = MORNING) =>
    (await store.read("top", [SETS.top("denied", ms)], []))[0]!;

  test("an empty store has nothing of any set", async () => {
    const sets = [SETS.total, SETS.minute(MORNING), SETS.hour(MORNING)];
    expect(await fieldsOf(open(), ...sets)).toEqual([{}, {}, {}]);
    expect((await topOf(open())).size).toBe(0);
  });

  test("counts of isolates are added up in their minutes, their hours and the total", async () => {
    const store = open();
    const counts = [
      ["ra*", 2],
      ["c", 3],
    ] as const;
    await store.add(batch(1, { minutes: [{ minute: MINUTE, counts }] }));
    const minutes = [
      { minute: MINUTE, counts },
      { minute: MINUTE + 60, counts: [["ra*", 5]] as const },
    ];
    await store.add(batch(1, { isolate: "other", minutes }));
    const [first, second] = [MORNING, MORNING + 60 * MINUTE_MS];
    const sets = [
      SETS.minute(first),
      SETS.minute(second),
      SETS.hour(first),
      SETS.hour(second),
      SETS.total,
    ];
    const both = { "ra*": 4, c: 6 };
    expect(await fieldsOf(store, ...sets)).toEqual([
      both,
      { "ra*": 5 },
      both,
      { "ra*": 5 },
      { "ra*": 9, c: 6 },
    ]);
  });

  test("a batch that was added before, or is older, changes nothing", async () => {
    const store = open();
    const minutes = [{ minute: MINUTE, counts: [["c", 1]] as const }];
    const tops = { denied: [["api ip:a", 1]] as const, near: [] };
    for (const number of [1, 2, 2, 1]) await store.add(batch(number, { minutes, tops }));
    expect(await fieldsOf(store, SETS.total)).toEqual([{ c: 2 }]);
    expect([...(await topOf(store))]).toEqual([["api ip:a", 2]]);
  });

  test("a minute tells 2,000 fields apart, an hour more; counts without room are overflow", async () => {
    const store = open();
    const minutes = [{ minute: MINUTE, counts: numbered(2_000) }];
    await store.add(batch(1, { minutes }));
    const counts = [...numbered(3, 1_999), ["o", 4]] as const;
    await store.add(batch(2, { minutes: [{ minute: MINUTE, counts }] }));
    await store.add(batch(3, { minutes: [{ minute: MINUTE, counts: numbered(3, 1_999) }] }));
    const [minute, hour] = await fieldsOf(store, SETS.minute(MORNING), SETS.hour(MORNING));
    expect([minute!["r1999"], minute!["r2000"], minute!["o"]]).toEqual([3, undefined, 8]);
    expect(Object.keys(minute!)).toHaveLength(2_001);
    expect([hour!["r1999"], hour!["r2000"], hour!["o"]]).toEqual([3, 2, 4]);
  });

  test("of the partitions those 200 with the most counts stay", async () => {
    const store = open();
    const partitions = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, i) => [`api ip:${from + i}`, from + i + 1] as const);
    for (const [i, denied] of [partitions(0, 150), partitions(150, 250)].entries())
      await store.add(batch(i + 1, { tops: { denied, near: [] } }));
    const kept = await topOf(store);
    expect(kept.size).toBe(200);
    expect([kept.has("api ip:49"), kept.get("api ip:50"), kept.get("api ip:249")]).toEqual([
      false,
      51,
      250,
    ]);
  });

  test("partitions are read by their names, whatever policy counts them", async () => {
    const store = open();
    const denied = [
      ["api ip:a …key", 2],
      ["api ip:b", 3],
      ["keys ip:a", 1],
    ] as const;
    await store.add(batch(1, { tops: { denied, near: [["api ip:c", 9]] } }));
    const sets = [SETS.top("denied", MORNING), SETS.top("near", MORNING)];
    const [of, near] = await store.read("named", sets, ["ip:a", "ip:c"]);
    expect([...of!].toSorted()).toEqual([
      ["api ip:a …key", 2],
      ["keys ip:a", 1],
    ]);
    expect([...near!]).toEqual([["api ip:c", 9]]);
  });

  test("sets that do not fit into one answer are left to the next", async () => {
    const store = open();
    const names = `ra${"x".repeat(110)}`;
    const counts = Array.from({ length: 2_000 }, (_, i) => [`${names}${i}`, 1] as const);
    for (let i = 0; i < 20; i++)
      await store.add(batch(i + 1, { minutes: [{ minute: MINUTE + i, counts }] }));
    const sets = Array.from({ length: 20 }, (_, i) => SETS.minute(MORNING + i * MINUTE_MS));
    const found = await store.read("hashes", sets, []);
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(20);
    expect(found.map(({ size }) => size)).toEqual(found.map(() => 2_000));
  });
}
