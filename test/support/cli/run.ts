import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { run } from "../../../src/node/cli/program.ts";

export const PROGRAM = fileURLToPath(new URL("../../../src/node/cli/main.ts", import.meta.url));

export const TOKEN = "the-token-of-these-tests";

/** What a finished run of the program left. */
export interface Run {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Surroundings {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** With a standard input, the program has a process of its own. */
  readonly stdin?: string;
}

/** What the runs so far have to end first: output, folder and environment belong to the whole process. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs `tidegate` with these arguments, without a terminal: in this process, because a process of its own takes half a
 * second and there are hundreds of runs. `tidegateProcess()` shows what only a process has.
 */
export function tidegate(args: readonly string[], surroundings: Surroundings = {}): Promise<Run> {
  if (surroundings.stdin !== undefined) return tidegateProcess(args, surroundings);
  const mine = last.then(() => runHere(args, surroundings));
  last = mine.catch(() => {});
  return mine;
}

async function runHere(
  args: readonly string[],
  { env = {}, cwd = process.cwd() }: Surroundings,
): Promise<Run> {
  const { stdout, stderr } = process;
  const before = { env: process.env, cwd: process.cwd(), exitCode: process.exitCode };
  const writes = [stdout.write, stderr.write] as const;
  const texts = { out: "", err: "" };
  const writeTo = (name: "out" | "err") => (chunk: string | Uint8Array) => {
    texts[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    return true;
  };
  stdout.write = writeTo("out");
  stderr.write = writeTo("err");
  process.env = surroundingsOf(env);
  process.exitCode = undefined;
  process.chdir(cwd);
  try {
    await run(args);
    return { exit: Number(process.exitCode ?? 0), ...texts };
  } finally {
    [stdout.write, stderr.write] = writes;
    process.env = before.env;
    process.exitCode = before.exitCode;
    process.chdir(before.cwd);
  }
}

/** The same in a process of its own. */
export async function tidegateProcess(
  args: readonly string[],
  { env = {}, cwd, stdin = "" }: Surroundings = {},
): Promise<Run> {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: surroundingsOf(env),
    ...(cwd && { cwd }),
  });
  let out = "";
  let err = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (err += chunk));
  // A program that reads nothing may have ended before.
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  const [exit] = (await once(child, "close")) as [number | null];
  return { exit, out, err };
}

function surroundingsOf(env: Surroundings["env"]): NodeJS.ProcessEnv {
  const { TIDEGATE_URL: _url, NO_COLOR: _plain, FORCE_COLOR: _coloured, ...rest } = process.env;
  return { ...rest, TIDEGATE_TOKEN: TOKEN, ...env };
}
