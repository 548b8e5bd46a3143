import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";

import { expect } from "vitest";

export interface Process {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  /** Tells it from a later one that has the same id. */
  readonly started: string;
}

/** All processes that a process has started, and their own. */
export function descendants(pid: number): Process[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => read(Number(name)) ?? []);
  const found: Process[] = [];
  const parents = new Set([pid]);
  for (let before = -1; before < found.length;) {
    before = found.length;
    for (const process of all) {
      if (parents.has(process.pid) || !parents.has(process.parent)) continue;
      parents.add(process.pid);
      found.push(process);
    }
  }
  return found;
}

export async function expectGone(processes: readonly Process[]): Promise<void> {
  const alive = () => processes.filter(({ pid, started }) => read(pid)?.started === started);
  await expect.poll(() => alive().map(({ name }) => name), { timeout: 3_000 }).toEqual([]);
}

export async function expectRefused(urls: readonly string[]): Promise<void> {
  const answers = await Promise.all(
    urls.map((url) => {
      const { hostname, port } = new URL(url);
      return new Promise<string | undefined>((resolve) => {
        const socket = connect(Number(port), hostname, () => {
          socket.destroy();
          resolve("connected");
        });
        socket.on("error", ({ code }: NodeJS.ErrnoException) => resolve(code));
      });
    }),
  );
  expect(answers).toEqual(urls.map(() => "ECONNREFUSED"));
}

/** `undefined` if there is no such process, or it has ended and only waits to be noticed. */
function read(pid: number): Process | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The name stands in parentheses, and may hold some.
  const end = stat.lastIndexOf(")");
  const name = stat.slice(stat.indexOf("(") + 1, end);
  const [state, parent, ...rest] = stat.slice(end + 2).split(" ");
  if (state === "Z") return undefined;
  return { pid, name, parent: Number(parent), started: rest[17] ?? "" };
}
