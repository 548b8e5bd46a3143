import { build } from "esbuild";
import { describe, expect, test } from "vitest";

/** Bundles a worker of this source. Of src, `files` are in the bundle. */
async function bundle(source: string) {
  const { metafile, outputFiles } = await build({
    stdin: { contents: source, resolveDir: ".", loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    metafile: true,
    external: ["node:*", "cloudflare:*"],
    logLevel: "silent",
  });
  const inputs = Object.entries(Object.values(metafile.outputs)[0]!.inputs);
  const files = inputs.flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : []));
  return { files, text: outputFiles[0]!.text };
}

/** How the paths of each feature's code begin. Dimensions and listeners are in every limiter. */
const CODE: Readonly<Record<string, string>> = {
  calendar: "src/algorithms/calendar-definition.ts",
  clients: "src/store/redis/client-adapter.ts",
  cluster: "src/store/cluster/",
  holds: "src/features/holds/",
  leases: "src/features/leases/",
  lists: "src/features/lists/",
  notices: "src/features/notice",
  optimistic: "src/features/optimistic-",
  plans: "src/features/plan",
  regions: "src/features/region",
  roles: "src/features/roles/",
  shards: "src/features/shard",
  sharedDenials: "src/features/shared-denials",
  sources: "src/features/source",
};

function featuresIn(files: readonly string[]): readonly string[] {
  return Object.keys(CODE).filter((name) => files.some((file) => file.startsWith(CODE[name]!)));
}

const WINDOW = `{ limit: 100, window: "1s" }`;
const window = (more: string) => `policies: [fixedWindow({ limit: 100, window: "1s", ${more} })]`;
const limiter = (more: string) => `policies: [fixedWindow(${WINDOW})], ${more}`;

/** What options import besides the builder, the options, and the features that come with it. */
const VALUES: readonly (readonly [imported: string, options: string, features: string[]])[] = [
  ["lease", window(`lease: lease("100ms")`), ["leases"]],
  ["lease", limiter(`lease: lease("auto")`), ["leases"]],
  ["optimistic", window(`optimistic: optimistic()`), ["optimistic"]],
  ["shards", window(`shards: shards(4)`), ["shards"]],
  ["notify", window(`notify: notify(1, () => {})`), ["notices"]],
  ["refundable", window(`refundable: refundable()`), ["holds"]],
  ["denials", window(`counts: denials()`), ["roles"]],
  ["failures", window(`counts: failures()`), ["holds", "roles"]],
  ["shadow", `policies: [shadow(fixedWindow(${WINDOW}))]`, ["roles"]],
  ["soft", `policies: [soft(fixedWindow(${WINDOW}))]`, ["roles"]],
  ["month", `policies: [fixedWindow({ limit: 1, window: month() })]`, ["calendar"]],
  ["week", `policies: [fixedWindow({ limit: 1, window: week() })]`, ["calendar"]],
  ["day", `policies: [fixedWindow({ limit: 1, window: day() })]`, ["calendar"]],
  ["hour", `policies: [fixedWindow({ limit: 1, window: hour() })]`, ["calendar"]],
  ["plans", limiter(`plans: plans({})`), ["plans"]],
  ["lists", limiter(`lists: lists({})`), ["lists"]],
  ["cluster", limiter(`redis: cluster()`), ["cluster"]],
  ["client", limiter(`redis: client({})`), ["clients"]],
  ["client, cluster", limiter(`redis: cluster(client({}))`), ["clients", "cluster"]],
  ["shareDenials", limiter(`sharedDenials: shareDenials({})`), ["sharedDenials"]],
  ["region", limiter(`region: region({})`), ["regions"]],
  ["client, region", limiter(`region: region({ redis: client({}) })`), ["clients", "regions"]],
  ["concurrency", `policies: [concurrency({ limit: 1 })]`, ["holds"]],
];

const ENTRIES = [
  ["index", "createLimiter"],
  ["hono", "rateLimit"],
  ["vercel", "rateLimit"],
  ["express", "rateLimit"],
  ["fastify", "rateLimit"],
] as const;

describe("a bundle", () => {
  test.each(VALUES)(
    "with %s for { %s } has %j, and no other feature",
    async (imported, options, features) => {
      const { files } = await bundle(`
      import { createLimiter, fixedWindow, ${imported} } from "./src/index.ts";
      export const limiter = createLimiter({ ${options} });`);
      expect(featuresIn(files)).toEqual(features);
    },
  );

  test.each(ENTRIES)(
    "of tidegate/%s has the features that its options bring",
    async (entry, make) => {
      const featuresOf = async (imported: string, options: string) => {
        const { files } = await bundle(`
        import { fixedWindow ${imported} } from "./src/index.ts";
        import { ${make} } from "./src/${entry}.ts";
        export const limiter = ${make}({ ${options} });`);
        return featuresIn(files);
      };
      expect(await featuresOf("", `policies: [fixedWindow(${WINDOW})]`)).toEqual([]);
      expect(await featuresOf(", plans", limiter(`plans: plans({})`))).toEqual(["plans"]);
    },
  );

  test.each(["header", "cookie", "query"])(
    "of middleware has a source that is %s(), and no other",
    async (kind) => {
      const { files, text } = await bundle(`
      import { fixedWindow, ${kind} } from "./src/index.ts";
      import { rateLimit } from "./src/hono.ts";
      export const limit = rateLimit({ policies: [fixedWindow(${WINDOW})], partition: [${kind}("a")] });`);
      expect(featuresIn(files)).toEqual(["sources"]);
      const readers = [
        "readHeader",
        "readCookieOf",
        "readQueryOf",
        "readSubnet",
        "readAsn",
        "readCountry",
      ];
      const own = { header: "readHeader", cookie: "readCookieOf", query: "readQueryOf" }[kind];
      expect(readers.filter((reader) => text.includes(reader))).toEqual([own]);
    },
  );

  test("without features has none, no adapter, and one algorithm", async () => {
    const { files } = await bundle(`
      import { createLimiter, fixedWindow } from "./src/index.ts";
      export const limiter = createLimiter({ policies: [fixedWindow(${WINDOW})] });`);
    expect(featuresIn(files)).toEqual([]);
    const unwanted =
      /^src\/(adapter|gateway|lists|llm)\/|inspect|(log|counter|segmented-window|concurrency)\.ts$/;
    expect(files.filter((file) => unwanted.test(file))).toEqual(["src/runtime/log.ts"]);
    expect(files).not.toContain("src/features/every-feature.ts");
    expect(files).toContain("src/limiter/create-limiter.ts");
  });

  test("has the pools of objects only where a worker exports their class", async () => {
    const poolsIn = async (source: string) => {
      const { files } = await bundle(source);
      return files.filter((file) =>
        /region\/.+-pools?\.ts$|pools-per-partition|memory-pools|tidegate-region/.test(file),
      ).length;
    };
    const policies = `policies: [fixedWindow(${WINDOW})]`;
    const objects = `
      import { createLimiter, fixedWindow, region } from "./src/index.ts";
      import { durableObjectRegion, durableObjectStore, TidegateRegion } from "./src/durable-object.ts";
      export { TidegateObject } from "./src/durable-object.ts";`;
    const inObjects = `createLimiter({ store: durableObjectStore({}), ${policies} });`;
    const inRegion = `createLimiter({ region: region({ name: "a", redis: {} }), ${policies} });`;
    expect(await poolsIn(`${objects} export const limiter = ${inObjects}`)).toBe(0);
    expect(await poolsIn(`${objects} export const limiter = ${inRegion}`)).toBe(0);
    expect(await poolsIn(`${objects} export { TidegateRegion };`)).toBe(5);
  });

  test("of a limiter that gives back has the algorithms that it uses, though it can give back units of all", async () => {
    const { text } = await bundle(`
      import { createLimiter, fixedWindow, refundable } from "./src/index.ts";
      export const limiter = createLimiter({ ${window("refundable: refundable()")} });`);
    const defined = [...text.matchAll(/name: "([a-z-]+)",\s+(?:\/\/.*\s+)?code: /g)];
    expect(defined.map(([, name]) => name)).toEqual(["fixed-window"]);
    expect(text).toContain("'segmented-window'");
  });
});
