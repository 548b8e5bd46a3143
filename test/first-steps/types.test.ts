import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { describe, expect, inject, test } from "vitest";

import manifest from "../../package.json" with { type: "json" };
import { guideBlocks, guideCode } from "../docs/guides.ts";

const strict = {
  noEmit: true,
  target: "ES2022",
  lib: ["ES2024", "DOM", "DOM.Iterable"],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  skipLibCheck: false,
};

const nodeNext = { module: "NodeNext", moduleResolution: "NodeNext" };
const bundler = { module: "ESNext", moduleResolution: "Bundler" };

const resolutions = [
  { name: "NodeNext", options: nodeNext },
  { name: "Node16", options: { module: "Node16", moduleResolution: "Node16" } },
  { name: "Bundler", options: bundler },
  { name: "Bundler for Workers", options: { ...bundler, customConditions: ["workerd", "worker"] } },
  { name: "Bundler without a DOM", options: { ...bundler, lib: ["ES2024", "WebWorker"] } },
];

/** Settings of projects that make no difference, or next to none. */
const consumers = [
  { name: "nothing else set", options: nodeNext },
  { name: "strict alone", options: { ...nodeNext, strict: true } },
  { name: "strict, for bundlers", options: { ...bundler, strict: true, target: "ES2022" } },
].map(({ name, options }) => ({ name, options: { ...options, noEmit: true, types: [] } }));
/** The compilers that projects have, by where they are installed. */
const compilers = ["typescript", "typescript-5"];

/** The compiler's complaints about these files in a project that has the package installed. */
async function complaints(
  files: Readonly<Record<string, string>>,
  options: object,
  compiler = join(inject("installed"), "node_modules/typescript"),
): Promise<string> {
  const folder = join(inject("installed"), `types-${crypto.randomUUID()}`);
  await mkdir(folder);
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, include: ["*.ts"] }),
  );
  for (const [name, code] of Object.entries(files)) await writeFile(join(folder, name), code);
  return new Promise((done) => {
    execFile(process.execPath, [join(compiler, "bin/tsc"), "-p", folder], (_error, stdout) =>
      done(stdout),
    );
  });
}

/** Node's own types are not installed: the types that the guides take from them stand here. */
const platforms =
  "declare const process: { readonly env: Readonly<Record<string, string | undefined>> };";

/** As Node and bundlers import them: `tidegate`, `tidegate/hono`. */
const specifiers = Object.keys(manifest.exports)
  .filter((entry) => !entry.endsWith(".json"))
  .map((entry) => entry.replace(".", "tidegate"));
const entries = specifiers
  .map((specifier, i) => `import * as entry${i} from "${specifier}";\nvoid entry${i};`)
  .join("\n");

describe.each(compilers)("with %s", (name) => {
  test.for(consumers)(
    "every entry's types compile in a project with $name, its libraries checked",
    async ({ options }) => {
      expect(
        await complaints({ "entries.ts": entries }, options, resolve("node_modules", name)),
      ).toBe("");
    },
  );
});

describe.each(resolutions)("under strict types, $name", ({ options: own }) => {
  const options = { ...strict, ...own };

  test("every entry of the package resolves to its types, and every sample of the guides compiles", async () => {
    const samples = guideBlocks("ts").map(({ file, code }) => [file, code]);
    const all = { ...Object.fromEntries(samples), "entries.ts": entries };
    expect(await complaints({ ...all, "platforms.d.ts": platforms }, options)).toBe("");
  });
});

describe("the decision that rateLimit() of tidegate/hono leaves", () => {
  const sample = guideCode('from "tidegate/hono"');
  const typed = (use: string) => `${sample}
import type { Decision } from "tidegate";
app.get("/api/fares", (c) => {
  ${use}
  return c.text("fares");
});`;

  test("is typed in routes of statements of their own, in chained routes, and in apps with bindings and variables of their own", async () => {
    const use = `const decision: Decision = c.var.rateLimit;
  const same: Decision = c.get("rateLimit");
  const text: string = decision.reason + same.reason;
  void text;`;
    const code = `import { Hono } from "hono";
import { type Decision, tokenBucket } from "tidegate";
import { rateLimit } from "tidegate/hono";

type Own = { Bindings: { readonly KEY: string }; Variables: { user: string } };
const limited = rateLimit<Own>({
  policies: [tokenBucket({ limit: 20, refill: 10, per: "1s" })],
  partition: (c) => c.var.user + c.env.KEY,
});
const app = new Hono<Own>().use(limited).get("/", (c) => {
  const decision: Decision = c.var.rateLimit;
  return c.text(decision.reason + c.var.user + c.env.KEY);
});
app.get("/other", limited, (c) => c.text(c.var.rateLimit.reason));
export default app;`;
    expect(await complaints({ "routes.ts": typed(use), "own.ts": code }, strict)).toBe("");
  });

  test("is a Decision without other properties", async () => {
    const faults = await complaints(
      {
        "wrong.ts": typed(`const n: number = c.var.rateLimit;`),
        "absent.ts": typed("void c.var.rateLimits;"),
      },
      strict,
    );
    expect(faults).toMatch(/wrong\.ts[^]*Type 'Decision' is not assignable to type 'number'/);
    expect(faults).toMatch(/absent\.ts.*Property 'rateLimits' does not exist/);
  });
});
