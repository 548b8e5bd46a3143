import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

export const TOKEN = "regions";

const BRIDGE = "node_modules/@tidegate/redis-rest/dist/redis-rest.js";

/** Starts a Redis that keeps nothing, and a REST API before it. Both end with this process. */
export async function startStore(port: number, redisPort: number): Promise<string> {
  run("redis-server", "--port", `${redisPort}`, "--save", "", "--appendonly", "no");
  const redis = `redis://127.0.0.1:${redisPort}`;
  run(process.execPath, BRIDGE, "--redis", redis, "--port", `${port}`, "--token", TOKEN);
  const url = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${TOKEN}` };
  while (
    !(await fetch(`${url}/ping`, { headers }).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    await sleep(50);
  }
  return url;
}

/** Stands before a server, as if it were this far away. */
export function startDistance(url: string, port: number, roundTripMs: number): string {
  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    await sleep(roundTripMs);
    const answer = await fetch(url + request.url, {
      method: request.method!,
      headers: { authorization: request.headers.authorization ?? "" },
      body: Buffer.concat(chunks),
    });
    response.writeHead(answer.status, { "content-type": "application/json" });
    response.end(await answer.text());
  });
  server.listen(port, "127.0.0.1");
  return `http://127.0.0.1:${port}`;
}

function run(program: string, ...args: string[]): void {
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "inherit"] });
  child.on("error", ({ message }) => console.error(message));
  process.on("exit", () => child.kill());
}
