import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";

import { PROBE_TIMEOUT_MS } from "./patience.ts";

/** A response, and when it was asked for, in milliseconds since 1970. */
export interface HttpAnswer {
  readonly status: number;
  /** By name in lower case; several of one name are joined by commas. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
}

export type Fetch = (
  path: string,
  fields?: Readonly<Record<string, string>>,
  method?: string,
) => Promise<HttpAnswer>;

/** More than any answer that the doctor looks into; an origin behind the limited path may send without end. */
const MAX_BYTES = 1_000_000;

/** The text of a body, or of its first megabyte. */
async function readStart(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop early ends the connection.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_BYTES).toString("utf8");
}

/** Sends paths as they are: fetch() would resolve dots and backslashes. Follows no redirects. */
export function httpClient(base: URL, now: () => number): Fetch {
  const request = base.protocol === "https:" ? requestHttps : requestHttp;
  const folder = base.pathname.replace(/\/$/, "");

  async function ask(
    path: string,
    fields: Readonly<Record<string, string>>,
    method: string,
    signal: AbortSignal,
  ) {
    const sentAtMs = now();
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { "user-agent": "tidegate-doctor", ...fields };
      request(base, { path: folder + path, method, headers, signal }, resolve)
        .once("error", reject)
        .end();
    });
    const receivedAtMs = now();
    const list = Object.entries(response.headersDistinct);
    return {
      status: response.statusCode ?? 0,
      fields: new Map(list.map(([name, values = []]) => [name, values.join(", ")])),
      body: await readStart(response),
      sentAtMs,
      receivedAtMs,
    };
  }

  return async (path, fields = {}, method = "GET") => {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    try {
      return await ask(path, fields, method, signal);
    } catch (error) {
      // Node says that it was aborted, or that the connection ended, and not that its time was over.
      throw signal.aborted ? signal.reason : error;
    }
  };
}
