import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, relative, resolve } from "node:path";
import { promisify } from "node:util";

import type { TestProject } from "vitest/node";

import { type Beside, manifestIn, PACKAGES, stemOf } from "./packages.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** An empty folder but for `npm install` of the packed tarballs and of the imports of the README's code. */
    installed: string;
    /** The packed tarball. */
    tarball: string;
    /** The packed tarballs of `packages`, by their folders. */
    beside: Readonly<Record<Beside, string>>;
  }
}

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");

/** Folders and files that a clone does not have. */
const NOT_CLONED = new Set([".git", ".tmp", ".wrangler", "dist", "node_modules"]);

/** Packages that a newcomer installs beside the package, in the versions that the project's own installation has cached. */
const BESIDE = ["@upstash/redis", "rate-limiter-flexible", "typescript"];

/** An app has a Hono of its own. It has to become the package's, too, or their types would not fit each other. */
const HONO = "hono@4.12.0";

/** The library first. */
const NAMES = [undefined, ...PACKAGES].map((folder) => manifestIn(folder).name);

/** Packs the project as it is published, and installs the tarballs as a newcomer would. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "tidegate-first-steps-"));
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    const published = process.env["TEST_REGISTRY_VERSION"];
    await (published ? download(folder, published) : pack(folder));
    const [tarball = "", ...others] = await tarballsIn(folder);
    project.provide("tarball", tarball);
    const beside = Object.fromEntries(PACKAGES.map((name, i) => [name, others[i]!]));
    project.provide("beside", beside as Record<Beside, string>);
    project.provide("installed", await install(folder, [tarball, ...others]));
  } catch (error) {
    await remove();
    throw error;
  }
  return remove;
}

async function install(folder: string, tarballs: readonly string[]): Promise<string> {
  const installed = join(folder, "app");
  const { dependencies, devDependencies } = JSON.parse(
    await readFile(join(root, "package.json"), "utf8"),
  ) as Record<"dependencies" | "devDependencies", Record<string, string>>;
  const versions = { ...dependencies, ...devDependencies };
  await mkdir(installed);
  await writeFile(
    join(installed, "package.json"),
    JSON.stringify({ name: "app", private: true, type: "module" }),
  );
  const beside = BESIDE.map((name) => `${name}@${versions[name]}`);
  const quickly = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...quickly, ...tarballs, HONO, ...beside], { cwd: installed });
  return installed;
}

/** In a copy, as other tests build in the project's own folder; from nothing built, as from a fresh clone. */
async function pack(folder: string): Promise<void> {
  const clone = join(folder, "clone");
  await cp(root, clone, {
    recursive: true,
    filter: (source) => !NOT_CLONED.has(basename(relative(root, source))),
  });
  await symlink(join(root, "node_modules"), join(clone, "node_modules"));
  const folders = PACKAGES.map((name) => `./packages/${name}`);
  await run("npm", ["pack", "--pack-destination", folder, ".", ...folders], { cwd: clone });
}

/** The tarballs as the registry serves them, for a release. */
async function download(folder: string, version: string): Promise<void> {
  const specs = NAMES.map((name) => `${name}@${version}`);
  await run("npm", ["pack", "--pack-destination", folder, ...specs], { cwd: folder });
}

/** The library's first, then the others' in their order. */
async function tarballsIn(folder: string): Promise<readonly string[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  return NAMES.map(stemOf).map((stem) => {
    const file = files.find((name) => /^(.+)-\d/.exec(name)![1] === stem);
    if (file === undefined) throw new Error(`${stem} was not packed`);
    return join(folder, file);
  });
}
