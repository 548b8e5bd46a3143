import { markdownTable } from "../../scripts/support/markdown-table.ts";
import { ADDED_P50, figureName, USUAL_MS } from "../benchmark/distance/names.ts";
import type { Figure } from "../benchmark/figure.ts";
import type { Results } from "../benchmark/results.ts";
import { significant } from "../support/numbers.ts";
import { regionsIn, regionWaysIn } from "./regions-table.ts";
import { inMilliseconds, waysIn } from "./ways-table.ts";

/** Marks where figures of `npm run bench` follow. */
const MARKED =
  /^<!-- measured: (summary|peer|bare|ways|bundles|entries|objects|regions|region-ways) -->\n[^]*?^<!-- end -->$/gm;

type Show = (figure: Figure) => readonly [ours: string, theirs: string];

interface Row {
  readonly name: string;
  readonly part: string;
  /** The figure's name in the results, and its peer's where several are compared. */
  readonly figure: string;
  readonly peer?: string;
  readonly show: Show;
}

const both =
  (format: (value: number) => string): Show =>
  ({ tidegate, peer }) => [format(tidegate), peer ? format(peer.value) : ""];
const plain = both((value) => significant(value));
const percent = both((value) => `${significant(value)} %`);
const microseconds = both((value) => `${significant(value)} µs`);
const bytes = both((value) => `${significant(value)} bytes`);
const kilobytes = (value: number): string => `${(value / 1000).toFixed(1)} KB`;
const times: Show = ({ ratio }) => [`${significant(ratio!.median)} times`, "1"];
const milliseconds = both(inMilliseconds);
/** The peer has no such thing: it asks Redis each time. */
const alone: Show = ({ tidegate }) => [significant(tidegate), "1"];

const PEER: readonly Row[] = [
  {
    name: "admissible traffic wrongly denied, sliding window at 1.2 times the limit, one isolate",
    part: "trips",
    figure: "sliding-window-counter, load 1.2, 1 isolate: of the admissible, lost to the cache",
    show: percent,
  },
  {
    name: "Redis calls per decision, token bucket at 50 times the limit, one isolate",
    part: "trips",
    figure: "token-bucket, load 50, 1 isolate: Redis calls per decision",
    show: plain,
  },
  {
    name: "the same with 100 isolates that share nothing",
    part: "trips",
    figure: "token-bucket, load 50, 100 isolates: Redis calls per decision",
    show: plain,
  },
  {
    name: "the same with 100 isolates of one data centre that share their denials",
    part: "trips",
    figure:
      "token-bucket, load 50, 100 isolates that share their denials: Redis calls per decision",
    show: plain,
  },
  {
    name: "Redis calls per decision, a key at 0.9 times its limit, 1,000 requests per second, with a lease",
    part: "lease",
    figure: "token-bucket, hot, load 0.9, 1 isolate: Redis calls per decision",
    show: alone,
  },
  {
    name: "allowed requests per second in workerd, one hot key, with a lease of 100 ms",
    part: "workerd",
    figure: "allowed by limit() with a lease of 100 ms, one hot identity: requests per second",
    peer: "@upstash/ratelimit",
    show: times,
  },
  {
    name: "allowed requests per second in workerd, each through Redis",
    part: "workerd",
    figure: "allowed by limit(), through Redis: requests per second",
    show: times,
  },
  {
    name: "added to the median allowed request by a policy with `optimistic`, 30 ms from Redis",
    part: "distance",
    figure: figureName(USUAL_MS, ADDED_P50),
    peer: "@upstash/ratelimit",
    show: milliseconds,
  },
  {
    name: "CPU of a denial that the isolate knows, in workerd",
    part: "edge",
    figure: "denial from knowledge, in workerd: CPU",
    show: microseconds,
  },
  {
    name: "CPU of an allowed request whose store answers at once, in workerd",
    part: "edge",
    figure: "allow, the store answers at once, in workerd: CPU",
    show: microseconds,
  },
  {
    name: "first decision of a fresh isolate",
    part: "edge",
    figure: "first decision of a fresh isolate",
    show: milliseconds,
  },
  {
    name: "memory of a denial that the isolate knows",
    part: "edge",
    figure: "known denial: heap",
    show: bytes,
  },
  {
    name: "CPU of Redis for an allowed request, token bucket at a limit of 1,000",
    part: "redis",
    figure: "token-bucket, allow, limit 1000: CPU",
    peer: "@upstash token bucket",
    show: times,
  },
  {
    name: "CPU of Redis for an allowed request, sliding window at a limit of 1,000",
    part: "redis",
    figure: "sliding-window-counter, allow, limit 1000: CPU",
    peer: "@upstash sliding window",
    show: times,
  },
  {
    name: "CPU of Redis for an allowed request, fixed window at a limit of 1,000",
    part: "redis",
    figure: "fixed-window, allow, limit 1000: CPU",
    peer: "@upstash fixed window",
    show: times,
  },
  {
    name: "a token bucket in Redis",
    part: "redis",
    figure: "token-bucket: memory per key",
    peer: "@upstash token bucket",
    show: bytes,
  },
  {
    name: "handler that limits, everything included, minified and gzipped",
    part: "bundle",
    figure: "handler with limit(), gzipped",
    show: both(kilobytes),
  },
];

const BARE: readonly Row[] = [
  {
    name: "denied requests per second, one identity",
    part: "workerd",
    figure: "denied by rateLimit(): requests per second",
    show: times,
  },
  {
    name: "allowed requests per second, one identity, with a lease of 100 ms",
    part: "workerd",
    figure: "allowed by limit() with a lease of 100 ms, one hot identity: requests per second",
    peer: "bare app, same answer",
    show: times,
  },
];

/** The figures of the README: those that people compare first. */
const SUMMARY = [
  "admissible traffic wrongly denied, sliding window at 1.2 times the limit, one isolate",
  "Redis calls per decision, token bucket at 50 times the limit, one isolate",
  "allowed requests per second in workerd, each through Redis",
  "added to the median allowed request by a policy with `optimistic`, 30 ms from Redis",
  "CPU of a denial that the isolate knows, in workerd",
  "CPU of Redis for an allowed request, sliding window at a limit of 1,000",
  "handler that limits, everything included, minified and gzipped",
];

/** A document with the figures between each pair of markers replaced by those of the results. */
export function withMeasuredTables(document: string, results: Results): string {
  const summary = PEER.filter(({ name }) => SUMMARY.includes(name));
  const tables = {
    summary: () => tableOf(summary, "@upstash/ratelimit", results),
    peer: () => tableOf(PEER, "@upstash/ratelimit", results),
    bare: () => tableOf(BARE, "a bare app", results),
    ways: () => waysIn(results),
    bundles: () => bundlesIn(results),
    entries: () => entriesIn(results),
    objects: () => objectsIn(results),
    regions: () => regionsIn(results),
    "region-ways": () => regionWaysIn(results),
  };
  return document.replace(
    MARKED,
    (_marked, which: keyof typeof tables) =>
      `<!-- measured: ${which} -->\n\n${tables[which]()}\n\n<!-- end -->`,
  );
}

function tableOf(rows: readonly Row[], peer: string, { parts }: Results): string {
  return markdownTable([
    ["figure", "Tidegate", peer],
    ...rows.map((row) => {
      const found = parts[row.part]?.figures.find(
        ({ name, peer }) => name === row.figure && (row.peer ?? peer?.name) === peer?.name,
      );
      if (!found) throw new Error(`bench/results.json has no ${row.part}: ${row.figure}`);
      return [row.name, ...row.show(found)];
    }),
  ]);
}

/** The sizes that a worker loads. */
function bundlesIn({ parts }: Results): string {
  const gzipped = parts["bundle"]!.figures.filter(
    ({ name, detail }) => name.endsWith(", gzipped") && !detail,
  );
  return markdownTable([
    ["what a worker has", "minified and gzipped"],
    ...gzipped.map(({ name, tidegate }) => [
      name.replace(/, gzipped$/, "").replace(/[a-zA-Z]+\([^)]*\)/, "`$&`"),
      kilobytes(tidegate),
    ]),
  ]);
}

/** Allowed requests over Durable Objects and over Redis. */
function objectsIn({ parts }: Results): string {
  const end = ": allowed requests per second";
  const rates = (parts["objects"]?.figures ?? []).filter(({ name }) => name.endsWith(end));
  return markdownTable([
    ["allowed requests per second", "Durable Objects", "Redis", "ratio"],
    ...rates.map(({ name, tidegate, peer, ratio }) => [
      name.slice(0, -end.length),
      significant(tidegate),
      significant(peer!.value),
      significant(ratio!.median),
    ]),
  ]);
}

/** Each entry of the package with all that it exports. */
function entriesIn({ parts }: Results): string {
  const { figures } = parts["bundle"]!;
  const wholes = figures.filter(({ name }) => name.endsWith(", all of it, gzipped"));
  return markdownTable([
    [
      "entry, with all of its exports",
      "minified and gzipped",
      "at most",
      "other packages' code in it, minified",
    ],
    ...wholes.map(({ name, tidegate, target }) => {
      const entry = name.replace(", all of it, gzipped", "");
      const foreign = figures.flatMap(({ name: other, tidegate: size }) => {
        const [, of, whose] = /^(.+), code of (.+), minified$/.exec(other) ?? [];
        return of === entry ? [`${whose} ${kilobytes(size)}`] : [];
      });
      const [size, budget] = [kilobytes(tidegate), kilobytes(target!.value)];
      return [`\`${entry}\``, size, budget, foreign.join(", ")];
    }),
  ]);
}
