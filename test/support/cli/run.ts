import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { run } from "../../../packages/cli/src/program.ts";
import { type Run, runHere } from "../run-here.ts";

export const PROGRAM = fileURLToPath(new URL("../../../packages/cli/src/main.ts", import.meta.url));

export const TOKEN = "the-token-of-these-tests";

export interface Surroundings {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** With a standard input, the program has a process of its own. */
  readonly stdin?: string;
}

/**
 * Runs `tidegate` with these arguments, without a terminal: in this process, because a process of its own takes half a second and
 * there are hundreds of runs. `tidegateProcess()` tests properties of a process.
 */
export function tidegate(
  args: readonly string[],
  { env = {}, cwd, stdin }: Surroundings = {},
): Promise<Run> {
  if (stdin !== undefined) return tidegateProcess(args, { env, stdin, ...(cwd && { cwd }) });
  return runHere(() => run(args), { env: surroundingsOf(env), ...(cwd && { cwd }) });
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
  // A program that does not read may have ended before.
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  const [exit] = (await once(child, "close")) as [number | null];
  return { exit, out, err };
}

function surroundingsOf(env: Surroundings["env"]): NodeJS.ProcessEnv {
  const { TIDEGATE_URL: _url, NO_COLOR: _plain, FORCE_COLOR: _coloured, ...rest } = process.env;
  return { ...rest, TIDEGATE_TOKEN: TOKEN, ...env };
}
