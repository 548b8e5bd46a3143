import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** The server's next answer: a status and JSON, or a function of the response. */
export type Scripted =
  | { readonly status: number; readonly json?: unknown }
  | ((response: ServerResponse) => void);

/** A request as it came. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly ifMatch: string | undefined;
  readonly body: unknown;
}

/** A server that answers as the admin API of a gateway would, in the order given. */
export interface ScriptedGateway {
  readonly url: string;
  /** All but those for its health. */
  readonly seen: readonly Seen[];
  /** Forgets earlier requests, and gives these answers to the next ones; is healthy until told otherwise. */
  script(...answers: readonly Scripted[]): void;
  /** Its answer about its health, for which commands ask beside their own requests. */
  health: Scripted;
  close(): void;
}

export async function startScriptedGateway(): Promise<ScriptedGateway> {
  let answers: Scripted[] = [];
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (request.url === "/_tidegate/api/v1/health") {
      answer(response, gateway.health);
      return;
    }
    const { authorization, "if-match": ifMatch } = request.headers;
    gateway.seen.push({
      method: request.method ?? "",
      path: request.url ?? "",
      authorization,
      ifMatch,
      body: body === "" ? undefined : JSON.parse(body),
    });
    answer(response, answers.shift() ?? { status: 599 });
  }
  const server = createServer((request, response) => void serve(request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const gateway = {
    url: `http://127.0.0.1:${port}`,
    seen: [] as Seen[],
    health: HEALTHY as Scripted,
    script(...next: readonly Scripted[]) {
      answers = [...next];
      gateway.seen = [];
      gateway.health = HEALTHY;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return gateway;
}

const HEALTHY = { status: 200, json: { status: "ok", live: { version: 0 } } };

function answer(response: ServerResponse, next: Scripted): void {
  if (typeof next === "function") {
    next(response);
    return;
  }
  const { status, json } = next;
  const type = status >= 400 ? "application/problem+json" : "application/json";
  response.writeHead(status, json === undefined ? {} : { "content-type": type });
  response.end(json === undefined ? "" : JSON.stringify(json));
}
