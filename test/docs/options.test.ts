import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import {
  createLimiter,
  type CreateLimiterOptions,
  fixedWindow,
  lease,
  segmentedWindow,
  shards,
  slidingWindowLog,
  tokenBucket,
} from "../../src/index.ts";
import { codeBlocks } from "./code-blocks.ts";

const document = readFileSync("docs/options.md", "utf8");

/** The range of an option, as its block has it. */
function rangeOf(option: string, section: string): readonly [string, string] {
  const [, after] = document.split(`<!-- ${section} -->`);
  const [, block] = after!.split(new RegExp(`^#### \`${option}(?:\\(\\))?\`$`, "m"));
  const facts = block!.trim().split("\n\n")[0]!.replaceAll("\n", " ");
  // It begins a fact of its own, with a number: a default may say "to", too.
  const [, from, to] = / · `?"?(\d[\w,]*)"?`? to `?"?(\d[\w,]*)"?`?/.exec(facts)!;
  return [from!.replaceAll(",", ""), to!.replaceAll(",", "")];
}

const daily = fixedWindow({ limit: 1000, window: "1d" });
const BUCKET = { limit: 1, refill: 1, per: "1s" } as const;
const bucket = (more: object) => ({ policies: [tokenBucket({ ...BUCKET, ...more })] });

const LIMITER = "options: CreateLimiterOptions over LimiterOptions";
const VALUES = "functions: lease optimistic shards notify denials failures refundable";

test("a plain value in the place of a made one has the fault that docs/library.md shows", () => {
  const { code } = codeBlocks("docs/library.md").find(({ language }) => language === "text")!;
  const plain = { lease: "100ms" as never };
  const open = () => createLimiter({ policies: [tokenBucket({ ...BUCKET, ...plain })] });
  expect(open).toThrow(code.trimEnd());
});

/** Options with a range: how a value is given, and the values just outside of both ends. */
const ranges: [
  option: string,
  section: string,
  given: (value: never) => Partial<CreateLimiterOptions>,
  outside: [string | number, string | number],
][] = [
  [
    "timeout",
    "options: CreateLimiterOptions over StoreOptions",
    (timeout) => ({ timeout }),
    ["0.999ms", "1.001m"],
  ],
  ["lease", VALUES, (time) => ({ lease: lease(time) }), ["9.999ms", "10.001s"]],
  ["shards", VALUES, (count) => bucket({ limit: 64, refill: 64, shards: shards(count) }), [1, 65]],
  ["denialCache", LIMITER, (maxEntries) => ({ denialCache: { maxEntries } }), [0, 1_000_001]],
  ["prefix", LIMITER, (length) => ({ prefix: "p".repeat(length) }), [0, 65]],
  [
    "policies",
    LIMITER,
    (length) => ({
      policies: Array.from({ length }, (_, i) =>
        fixedWindow({ name: `p${i}`, limit: 1, window: "1d" }),
      ),
    }),
    [0, 17],
  ],
  [
    "name",
    "options: PolicyOptions over CommonOptions",
    (length) => ({ policies: [{ ...daily, name: "n".repeat(length) }] }),
    [0, 65],
  ],
  [
    "limit",
    "options: TokenBucketNumbers",
    (limit) => bucket({ limit, refill: 1_000_000_000 }),
    [0, 1_000_000_001],
  ],
  ["refill", "options: TokenBucketNumbers", (refill) => bucket({ refill }), [0, 1_000_000_001]],
  ["per", "options: TokenBucketNumbers", (per) => bucket({ per }), ["0.999ms", "366.001d"]],
  [
    "limit",
    "options: WindowNumbers",
    (limit) => ({ policies: [fixedWindow({ limit, window: "1d" })] }),
    [0, 2 ** 53],
  ],
  [
    "window",
    "options: WindowNumbers",
    (window) => ({ policies: [slidingWindowLog({ limit: 1, window })] }),
    ["0.999ms", "366.001d"],
  ],
  [
    "segments",
    "options: Segments",
    (segments) => ({ policies: [segmentedWindow({ limit: 1, window: "1d", segments })] }),
    [0, 61],
  ],
];

test.for(ranges)(
  "the range of %s in %s is the accepted one",
  ([option, section, given, outside]) => {
    const open = (value: unknown) => () =>
      createLimiter({
        redis: { url: "http://127.0.0.1:1", token: "t" },
        policies: [daily],
        ...given(value as never),
      });
    const numeric = typeof outside[0] === "number";
    for (const end of rangeOf(option, section)) {
      expect(open(numeric ? Number(end) : end), end).not.toThrow();
    }
    for (const beyond of outside) expect(open(beyond), String(beyond)).toThrow();
  },
);
