import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";

import type { RunningWorker } from "../../support/run-worker.ts";
import { send } from "../../support/send.ts";
import { compare } from "../compare.ts";
import type { Figure, Target } from "../figure.ts";

export interface LoadOptions {
  readonly seconds: number;
  readonly connections: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
}

interface LoadResult {
  /** Answered per second. */
  readonly rate: number;
  readonly requests: number;
}

type Client = (url: string, options: LoadOptions) => Promise<LoadResult>;

export interface LoadSample {
  readonly rate: number;
  /** Microseconds of workerd's processor time per request; `undefined` where the system does not tell it. */
  readonly cpu: number | undefined;
}

/** Measures a path of a worker under load. */
export async function loadOn(
  { url, pid }: RunningWorker,
  path: string,
  options: LoadOptions,
): Promise<LoadSample> {
  const client = await loadClient();
  const before = processCpu(pid);
  const { rate, requests } = await client(url + path, options);
  return { rate, cpu: before === undefined ? undefined : (processCpu(pid)! - before) / requests };
}

/** The figures of two paths whose samples were taken in turn. */
export function loadFigures(
  name: string,
  peer: string,
  [ours, theirs]: readonly (readonly LoadSample[])[],
  { rates, target }: { readonly rates: string; readonly target?: Target },
): Figure[] {
  const of = (samples: readonly LoadSample[]) => samples.map(({ rate }) => rate);
  const cpu = (samples: readonly LoadSample[]) => samples.flatMap((sample) => sample.cpu ?? []);
  const [mine, others] = [cpu(ours!), cpu(theirs!)];
  return [
    {
      name: `${name}: ${rates}`,
      unit: "/s",
      ...compare(of(ours!), peer, of(theirs!)),
      ...(target && { target }),
    },
    ...(mine.length > 0
      ? [
          {
            name: `${name}: CPU of workerd per request`,
            unit: "us",
            ...compare(mine, peer, others),
          },
        ]
      : []),
  ];
}

const run = promisify(execFile);

/** Load by wrk where it is installed, else by a client of our own. It fails at a wrong answer. */
async function loadClient(): Promise<Client> {
  // Without arguments it says how it is used, and fails.
  const installed = await run("wrk", ["--version"]).then(
    () => true,
    (error: { code?: unknown }) => error.code !== "ENOENT",
  );
  return installed ? wrk : keepAlive;
}

const wrk: Client = async (url, { seconds, connections, headers, status }) => {
  const fields = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  // It takes whole seconds only.
  const load = ["-t1", `-c${connections}`, `-d${Math.ceil(seconds)}s`];
  const { stdout } = await run("wrk", [...load, ...fields, url]);
  const requests = Number(/(\d+) requests in/.exec(stdout)?.[1]);
  const rate = Number(/Requests\/sec:\s*([\d.]+)/.exec(stdout)?.[1]);
  const failed = Number(/Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? 0);
  const expected = status < 400 ? 0 : requests;
  if (!(rate > 0) || failed !== expected || /Socket errors/.test(stdout)) {
    throw new Error(`not every answer was a ${status}:\n${stdout}`);
  }
  return { rate, requests };
};

const keepAlive: Client = async (url, { seconds, connections, headers, status }) => {
  const start = performance.now();
  const end = start + seconds * 1000;
  let answered = 0;

  async function connection(): Promise<void> {
    for (; performance.now() < end; answered++) {
      const { statusCode } = await send(url, { headers });
      if (statusCode !== status) throw new Error(`answered ${statusCode}`);
    }
  }

  await Promise.all(Array.from({ length: connections }, connection));
  return { rate: (answered * 1000) / (performance.now() - start), requests: answered };
};

/** A tick of the counters in /proc, the same on every Linux that Node runs on. */
const TICK = 10_000;

/** Microseconds of processor time that another process has used; only Linux says so. */
export function processCpu(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name before may hold blanks.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * TICK;
  } catch {
    return undefined;
  }
}
