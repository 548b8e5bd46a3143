import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, vi } from "vitest";

import { codeBlocks } from "./code-blocks.ts";
import { configuredGateway } from "./configured-gateway.ts";

export const DOCUMENT = "docs/recipes.md";
const MADE = /\b(createLimiter|rateLimit)\(\{/;

/** The recipes in their order. */
function recipeTitles(): readonly string[] {
  return [...readFileSync(DOCUMENT, "utf8").matchAll(/^## (.+)$/gm)].map(([, title]) => title!);
}

/** The one block of a recipe in this language. */
export function blockOf(title: string, language: "ts" | "toml"): string {
  const text = readFileSync(DOCUMENT, "utf8");
  const lineOf = (heading: string) => text.slice(0, text.indexOf(heading)).split("\n").length;
  const titles = recipeTitles();
  const next = titles[titles.indexOf(title) + 1];
  const [from, to] = [lineOf(`\n## ${title}\n`), next ? lineOf(`\n## ${next}\n`) : Infinity];
  const found = codeBlocks(DOCUMENT).filter(
    (block) => block.language === language && block.line > from && block.line < to,
  );
  if (found.length !== 1) throw new Error(`${title} has ${found.length} blocks of ${language}.`);
  return found[0]!.code;
}

/** A folder for one test file. */
export function folderFor(name: string): string {
  const folder = resolve(`.tmp/recipes-${name}`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** A folder for the recipes of one test file, each of which counts anew in this run's Redis. */
export function useRecipes(name: string): string {
  const folder = folderFor(name);
  beforeAll(() => {
    vi.stubEnv("UPSTASH_REDIS_REST_URL", inject("redisRestUrl"));
    vi.stubEnv("UPSTASH_REDIS_REST_TOKEN", inject("redisRestToken"));
  });
  beforeEach(() => {
    // A module counts, so each test imports its own.
    vi.resetModules();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Imports a recipe's code, with more time for Redis than a busy machine needs. */
export async function runOnRedis<Module>(title: string, folder: string): Promise<Module> {
  return load(title, folder, withOption(title, 'timeout: "10s"'));
}

/** Imports a recipe's code, but lets it count in memory, by `Date`. */
export async function runInMemory<Module>(title: string, folder: string): Promise<Module> {
  const code = withOption(title, "store: memoryStore()");
  return load(title, folder, `import { memoryStore } from "tidegate";\n${code}`);
}

/** Imports a recipe that is a program, which runs with these arguments. */
export async function runProgram(
  title: string,
  folder: string,
  args: readonly string[],
): Promise<void> {
  const { argv } = process;
  process.argv = [...argv.slice(0, 2), ...args];
  try {
    await load(title, folder, blockOf(title, "ts"));
  } finally {
    process.argv = argv;
  }
}

/** A recipe's code, whose limiter has one option more. */
function withOption(title: string, option: string): string {
  const code = blockOf(title, "ts");
  if (!MADE.test(code)) throw new Error(`${title} makes no limiter.`);
  return code.replace(MADE, `$1({ ${option},`);
}

async function load<Module>(title: string, folder: string, code: string): Promise<Module> {
  const file = join(folder, `${title.toLowerCase().replaceAll(/\W+/g, "-")}.ts`);
  writeFileSync(file, code);
  return (await import(file)) as Module;
}

/** Asks a handler, as a client of this address, for this path. */
export type Ask = (path: string, client?: Client) => Promise<Response>;

export interface Client {
  readonly ip?: string;
  readonly asn?: number;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInit;
}

/** The request of a client as Cloudflare hands it over. */
export function requestOf(path: string, client: Client = {}): Request {
  const { ip = "192.0.2.1", asn, method = "GET", headers, body } = client;
  const request = new Request(`http://edge.example${path}`, {
    method,
    headers: { "cf-connecting-ip": ip, ...headers },
    ...(body !== undefined && { body }),
  });
  return Object.assign(request, asn !== undefined && { cf: { asn } });
}

/** A gateway with a recipe's rules, which counts in memory, by `Date`. */
export function gatewayOf(title: string, folder: string): Ask {
  const gateway = configuredGateway(blockOf(title, "toml"), folder);
  return async (path, client) => gateway.fetch(requestOf(path, client));
}

/** How many of these requests pass; the others get a 429. */
export async function passing(
  ask: Ask,
  count: number,
  path: string,
  clientOf: (i: number) => Client,
): Promise<number> {
  let passed = 0;
  for (let i = 0; i < count; i++) {
    const { status } = await ask(path, clientOf(i));
    expect([200, 429]).toContain(status);
    if (status === 200) passed++;
  }
  return passed;
}
