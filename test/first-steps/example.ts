import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, symlink } from "node:fs/promises";
import { connect } from "node:net";
import { dirname, join, resolve } from "node:path";

import { inject, onTestFinished, vi } from "vitest";

import { freePort } from "../../scripts/support/free-port.ts";

/** Packages of which the project has several versions, by the name of the one that examples use. */
const ALIASES: Readonly<Record<string, string>> = { express: "express5", fastify: "fastify5" };

export interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Packages of the installation: the packed ones, and the Hono that they share with an app. */
const INSTALLED = /^(?:tidegate|hono|@tidegate\/.+)$/;

/** Where a package that an example names is. */
export function placeOf(name: string): string {
  if (INSTALLED.test(name)) return join(inject("installed"), "node_modules", name);
  return resolve("node_modules", ALIASES[name] ?? name);
}

export async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
}

/** A copy of an example, as it is after `npm install`. */
export async function installExample(name: string): Promise<string> {
  const folder = await mkdtemp(join(inject("installed"), `${name}-`));
  await cp(resolve("examples", name), folder, { recursive: true });
  await linkPackages(folder);
  return folder;
}

/** Links the packages that the folder's package.json names. */
export async function linkPackages(folder: string): Promise<void> {
  const { dependencies, devDependencies } = await manifestOf(folder);
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const link = join(folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(placeOf(name), link);
  }
}

/** Runs a script of an example's package.json until the test ends; resolves to its address once it listens. */
export async function startScript(
  folder: string,
  script: string,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const { scripts } = await manifestOf(folder);
  const port = await freePort();
  const child = spawn("bash", ["-c", scripts[script]!], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: undefined, ...environment, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, to be ended with the processes that it has started.
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => (output += chunk));
  }
  const ended = once(child, "close");
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  onTestFinished(async () => {
    if (isRunning()) process.kill(-child.pid!, "SIGKILL");
    await ended;
  });
  await vi.waitUntil(
    () => {
      if (!isRunning()) throw new Error(`${scripts[script]} has ended:\n${output}`);
      return listens(port);
    },
    { timeout: 60_000, interval: 50 },
  );
  return `http://127.0.0.1:${port}`;
}

/** Without a request, which would count. */
function listens(port: number): Promise<boolean> {
  return new Promise((settle) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("connect", () => settle(true));
    socket.on("error", () => settle(false));
    socket.on("connect", () => socket.destroy());
  });
}
