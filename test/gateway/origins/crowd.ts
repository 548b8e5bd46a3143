import { once } from "node:events";
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type RequestListener,
} from "node:http";
import type { AddressInfo } from "node:net";

import { frameworks } from "./frameworks.ts";
import { reachedByPipelines } from "./pipelines.ts";
import { REACHED } from "./routes.ts";

/** Which handlers of which origins a request reached: `{ "express 4": "login" }`. */
export type Reached = Readonly<Record<string, string>>;

export interface Crowd {
  readonly url: string;
  readonly names: readonly string[];
  stop(): Promise<void>;
}

async function listen(name: string, listener: RequestListener) {
  const server = createServer(listener);
  server.keepAliveTimeout = 75_000;
  await once(server.listen(0, "127.0.0.1"), "listening");
  return { name, port: (server.address() as AddressInfo).port, server };
}

/** Many origins behind one address: each gets every request with its target as it came, over a socket of its own. */
export async function startCrowd(): Promise<Crowd> {
  const agent = new Agent({ keepAlive: true });
  const entries = Object.entries(await frameworks());
  const members = await Promise.all(entries.map((entry) => listen(...entry)));

  async function ask(port: number, { method, url: path }: IncomingMessage) {
    const sent = request({
      host: "127.0.0.1",
      port,
      agent,
      method,
      path,
      headers: { "content-length": 0 },
    }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    answer.resume();
    await once(answer, "end");
    return answer.headers[REACHED] as string | undefined;
  }

  const front = await listen("front", async (asked, response) => {
    asked.resume();
    const reached: Record<string, string> = {};
    await Promise.all(
      members.map(async ({ name, port }) => {
        const handler = await ask(port, asked);
        if (handler !== undefined) reached[name] = handler;
      }),
    );
    for (const [name, handler] of reachedByPipelines(asked.method!, asked.url!))
      reached[name] = handler;
    response.end(JSON.stringify(reached));
  });

  return {
    url: `http://127.0.0.1:${front.port}`,
    names: members.map(({ name }) => name),
    async stop() {
      agent.destroy();
      for (const { server } of [...members, front]) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
