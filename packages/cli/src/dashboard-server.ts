import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

import { DASHBOARD_FIELDS } from "../../../src/admin/serve-dashboard.ts";
import { readAtMost } from "../../../src/runtime/read-at-most.ts";
import { randomToken } from "../../redis-rest/src/random-token.ts";
import { type Connection, MAX_ANSWER_BYTES } from "./client.ts";
import { UsageError } from "./errors.ts";

/** The same place from the source and from the build. */
const FILES = fileURLToPath(new URL("../../../dist/dashboard/", import.meta.url));

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/** A document has at most 900,000 bytes. */
const MAX_BODY_BYTES = 1_000_000;

/** Fields that the gateway and the page tell each other. The token is not among them. */
const REQUEST_FIELDS = ["content-type", "if-match"];
const RESPONSE_FIELDS = ["content-type", "etag", "retry-after", "allow"];

export interface DashboardServer {
  /** With the secret path that lets the browser in. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Serves the dashboard of one gateway on loopback, and adds the token to its requests. Any site can have a browser send
 * requests to this machine, and can point a name of its own at it: so only requests to this very address are answered,
 * only below a path that cannot be guessed, and none from pages of other sites.
 *
 * @param port 0 for a free one
 * @throws UsageError if another program has the port
 */
export async function serveDashboard(gateway: Connection, port = 0): Promise<DashboardServer> {
  if (!existsSync(`${FILES}index.html`)) {
    throw new UsageError("The dashboard is not built: run npm run build:dashboard.");
  }
  const secret = randomToken();
  let host = "";
  const server = createServer((request, response) => {
    void answer(request, response).catch(() =>
      refuse(response, 502, "The gateway did not answer."),
    );
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.headers.host !== host || isFromElsewhere(request, host)) {
      refuse(response, 403, "Open the address that the program printed.");
      return;
    }
    const [sent = "", path = ""] = (request.url ?? "").slice(1).split(/\/(.*)/s);
    if (!isSame(sent, secret)) refuse(response, 404, "There is nothing here.");
    else if (path.startsWith("api/")) await passOn(path, request, response, gateway);
    else sendFile(path, request, response);
  }

  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    throw new UsageError(`Another program listens on port ${port}: give --port another one.`);
  });
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/${secret}/`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function isFromElsewhere({ headers }: IncomingMessage, host: string): boolean {
  const site = headers["sec-fetch-site"] ?? "none";
  const isForeign = headers.origin !== undefined && headers.origin !== `http://${host}`;
  return isForeign || (site !== "same-origin" && site !== "none");
}

/** Takes as long for any two texts of one length. */
function isSame(sent: string, secret: string): boolean {
  const [one, other] = [Buffer.from(sent), Buffer.from(secret)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function sendFile(path: string, request: IncomingMessage, response: ServerResponse): void {
  const [, kind = ""] = /^assets\/[\w-]+\.(js|css)$/.exec(path) ?? [];
  const isKnown = path === "" || (kind !== "" && existsSync(FILES + path));
  if (!isKnown || request.method !== "GET") {
    refuse(response, 404, "There is nothing here.");
    return;
  }
  const type = path === "" ? "text/html; charset=utf-8" : TYPES[kind]!;
  const file = readFileSync(FILES + (path || "index.html"));
  // The page need not ask for the token.
  const body =
    path === "" ? file.toString().replace('"tidegate-token" content="asked"', HELD) : file;
  send(response, 200, { "content-type": type }, body);
}

const HELD = '"tidegate-token" content="held"';

async function passOn(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  { url, token, timeoutMs }: Connection,
): Promise<void> {
  const target = new URL(`${url}/_tidegate/${path}`);
  const body = await readBody(request, MAX_BODY_BYTES);
  // The token is for these paths alone, wherever dots in the path lead.
  if (!target.pathname.startsWith("/_tidegate/api/v1/")) {
    refuse(response, 404, "There is nothing here.");
    return;
  }
  if (body === undefined) {
    refuse(response, 413, "The body is too large.");
    return;
  }
  const fields = REQUEST_FIELDS.flatMap((name): [string, string][] => {
    const value = request.headers[name];
    return typeof value === "string" ? [[name, value]] : [];
  });
  const answer = await fetch(target, {
    method: request.method ?? "GET",
    headers: { ...Object.fromEntries(fields), authorization: `Bearer ${token}` },
    ...(body.length > 0 && { body }),
    // Another host must not get the token.
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  });
  const answered = RESPONSE_FIELDS.flatMap((name): [string, string][] => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  const content = await readAtMost(answer.body, MAX_ANSWER_BYTES);
  if (content === undefined) {
    refuse(response, 502, "The gateway's answer is too large.");
    return;
  }
  send(response, answer.status, Object.fromEntries(answered), content);
}

/** A body; `undefined` if it is longer. It is read to the end all the same: a client still writing would miss the answer. */
async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
  }
  return bytes <= maxBytes ? Buffer.concat(chunks) : undefined;
}

function refuse(response: ServerResponse, status: number, detail: string): void {
  const problem = { type: "about:blank", title: "Refused", status, detail };
  send(response, status, { "content-type": "application/problem+json" }, JSON.stringify(problem));
}

function send(
  response: ServerResponse,
  status: number,
  fields: Readonly<Record<string, string>>,
  body: string | Uint8Array,
): void {
  response.writeHead(status, { ...DASHBOARD_FIELDS, "cache-control": "no-store", ...fields });
  response.end(status === 204 ? undefined : body);
}
