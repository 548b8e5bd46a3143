import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../src/node/cli/main.ts", import.meta.url));

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
  readonly stdin?: string;
}

/** Runs `tidegate` with these arguments, without a terminal. */
export async function tidegate(
  args: readonly string[],
  { env = {}, cwd, stdin = "" }: Surroundings = {},
): Promise<Run> {
  const { TIDEGATE_URL: _url, NO_COLOR: _plain, FORCE_COLOR: _coloured, ...rest } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...rest, TIDEGATE_TOKEN: TOKEN, ...env },
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
