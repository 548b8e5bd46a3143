/** The result of a finished run of a program. */
export interface Run {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Here {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
}

/** The run that has to end before the next one: output, folder and environment belong to the whole process. */
let last: Promise<unknown> = Promise.resolve();

/** Runs programs in this process, one after the other, and catches their output. */
export function runHere(program: () => Promise<unknown>, here: Here = {}): Promise<Run> {
  const mine = last.then(() => runAlone(program, here));
  last = mine.catch(() => {});
  return mine;
}

async function runAlone(
  program: () => Promise<unknown>,
  { env = process.env, cwd = process.cwd() }: Here,
): Promise<Run> {
  const { stdout, stderr } = process;
  const before = { env: process.env, cwd: process.cwd(), exitCode: process.exitCode };
  const writes = [stdout.write, stderr.write] as const;
  const printed = { out: "", err: "" };
  const writeTo = (name: keyof typeof printed) => (chunk: string | Uint8Array) => {
    printed[name] += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    return true;
  };
  stdout.write = writeTo("out");
  stderr.write = writeTo("err");
  process.env = env;
  process.exitCode = undefined;
  process.chdir(cwd);
  try {
    await program();
    return { exit: Number(process.exitCode ?? 0), ...printed };
  } finally {
    [stdout.write, stderr.write] = writes;
    process.env = before.env;
    process.exitCode = before.exitCode;
    process.chdir(before.cwd);
  }
}
