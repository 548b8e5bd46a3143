import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { text } from "node:stream/consumers";

import { PATIENCE_MS } from "./patience.ts";

/** A response, and when it was asked for, in milliseconds since 1970. */
export interface Answer {
  readonly status: number;
  /** By name in lower case; several of one name are joined by commas. */
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
}

export type Fetch = (path: string, fields?: Readonly<Record<string, string>>) => Promise<Answer>;

/** Sends paths as they are: fetch() would resolve dots and backslashes. Follows no redirects. */
export function httpClient(base: URL, now: () => number): Fetch {
  const request = base.protocol === "https:" ? requestHttps : requestHttp;
  const folder = base.pathname.replace(/\/$/, "");
  return async (path, fields = {}) => {
    const sentAtMs = now();
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const signal = AbortSignal.timeout(PATIENCE_MS);
      const headers = { "user-agent": "tidegate-doctor", ...fields };
      request(base, { path: folder + path, headers, signal }, resolve)
        .once("error", reject)
        .end();
    });
    const receivedAtMs = now();
    const list = Object.entries(response.headersDistinct);
    return {
      status: response.statusCode ?? 0,
      fields: new Map(list.map(([name, values = []]) => [name, values.join(", ")])),
      body: await text(response),
      sentAtMs,
      receivedAtMs,
    };
  };
}
