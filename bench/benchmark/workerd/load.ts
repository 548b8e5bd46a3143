import { execFile } from "node:child_process";
import { Agent, request } from "node:http";
import { promisify } from "node:util";

export interface LoadOptions {
  readonly seconds: number;
  readonly connections: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
}

export interface LoadResult {
  /** Answered per second. */
  readonly rate: number;
  readonly requests: number;
}

type Client = (url: string, options: LoadOptions) => Promise<LoadResult>;

const run = promisify(execFile);

/** Load by wrk where it is installed, else by a client of our own. It fails at a wrong answer. */
export async function loadClient(): Promise<Client> {
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
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const start = performance.now();
  const end = start + seconds * 1000;
  let answered = 0;

  function ask(): Promise<void> {
    return new Promise((resolve, reject) => {
      request(url, { agent, headers }, (response) => {
        if (response.statusCode !== status) reject(new Error(`answered ${response.statusCode}`));
        response.resume().once("end", resolve);
      })
        .once("error", reject)
        .end();
    });
  }

  async function connection(): Promise<void> {
    for (; performance.now() < end; answered++) await ask();
  }

  try {
    await Promise.all(Array.from({ length: connections }, connection));
    return { rate: (answered * 1000) / (performance.now() - start), requests: answered };
  } finally {
    agent.destroy();
  }
};
