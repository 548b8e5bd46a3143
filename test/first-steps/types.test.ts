import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, inject, test } from "vitest";

import { guideBlocks, guideCode } from "../support/docs/guides.ts";

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

const bundler = { module: "ESNext", moduleResolution: "Bundler" };

const resolutions = [
  { name: "NodeNext", options: { module: "NodeNext", moduleResolution: "NodeNext" } },
  { name: "Node16", options: { module: "Node16", moduleResolution: "Node16" } },
  { name: "Bundler", options: bundler },
  { name: "Bundler for Workers", options: { ...bundler, customConditions: ["workerd", "worker"] } },
  { name: "Bundler without a DOM", options: { ...bundler, lib: ["ES2024", "WebWorker"] } },
];

/** What the compiler says of these files in a project that has the package installed. */
async function complaints(
  files: Readonly<Record<string, string>>,
  options: object,
): Promise<string> {
  const folder = join(inject("installed"), `types-${crypto.randomUUID()}`);
  await mkdir(folder);
  await writeFile(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: { ...strict, ...options }, include: ["*.ts"] }),
  );
  for (const [name, code] of Object.entries(files)) await writeFile(join(folder, name), code);
  const tsc = join(inject("installed"), "node_modules/typescript/bin/tsc");
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, "-p", folder], (_error, stdout) => resolve(stdout));
  });
}

/** Node's own types are not installed: what the guides take from them stands here. */
const platforms =
  "declare const process: { readonly env: Readonly<Record<string, string | undefined>> };";

describe.each(resolutions)("under strict types, $name", ({ options }) => {
  test("every TypeScript sample of the guides compiles", async () => {
    const files = guideBlocks("ts").map(({ file, code }) => [file, code]);
    const all = { ...Object.fromEntries(files), "platforms.d.ts": platforms };
    expect(await complaints(all, options)).toBe("");
  });

  test("every entry of the package resolves to its types", async () => {
    const code = [
      "",
      "/hono",
      "/vercel",
      "/node",
      "/cloudflare",
      "/llm",
      "/gateway",
      "/admin",
      "/worker",
    ]
      .map((entry, i) => `import * as entry${i} from "tidegate${entry}";\nvoid entry${i};`)
      .join("\n");
    expect(await complaints({ "entries.ts": code }, options)).toBe("");
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

  test("is typed in routes of statements of their own", async () => {
    const use = `const decision: Decision = c.var.rateLimit;
  const same: Decision = c.get("rateLimit");
  const text: string = decision.reason + same.reason;
  void text;`;
    expect(await complaints({ "app.ts": typed(use) }, {})).toBe("");
  });

  test("is typed in chained routes, and in apps with bindings and variables of their own", async () => {
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
    expect(await complaints({ "app.ts": code }, {})).toBe("");
  });

  test("is a Decision and nothing else", async () => {
    const wrong = await complaints({ "app.ts": typed(`const n: number = c.var.rateLimit;`) }, {});
    expect(wrong).toContain("Type 'Decision' is not assignable to type 'number'");
    const absent = await complaints({ "app.ts": typed("void c.var.rateLimits;") }, {});
    expect(absent).toContain("Property 'rateLimits' does not exist");
  });
});
