import { inject } from "vitest";

import { answerAdmin } from "../../src/admin/admin.ts";
import type { Administered } from "../../src/admin/administered.ts";
import { ADMIN_TOKEN, administered } from "../support/admin/administered.ts";

export interface Asked {
  readonly method?: string;
  /** Sent as JSON; a text, bytes or a stream as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** `undefined` for none. */
  readonly token?: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  readonly body: any;
}

/** Asks an administration below `/_tidegate/api/v1`, with the ADMIN_TOKEN unless it says otherwise. */
export type Ask = (path: string, asked?: Asked) => Promise<Answer>;

/** The Redis of this run. */
export function sharedRedis(): { readonly url: string; readonly token: string } {
  return { url: inject("redisRestUrl"), token: inject("redisRestToken") };
}

export function askingOf(gateway: Administered): Ask {
  const answer = answerAdmin(gateway);
  return async (path, asked = {}) => {
    const request = requestOf(path, asked);
    const response = await answer(request, undefined);
    const text = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    const { status, headers } = response;
    return { status, headers, text, body: isJson && text !== "" ? JSON.parse(text) : undefined };
  };
}

/** An administration with keys of its own in the Redis of this run. */
export function askAdmin(more: Partial<Administered> = {}): Ask {
  return askingOf(administered(sharedRedis(), more));
}

export function requestOf(path: string, asked: Asked): Request {
  const { method = "GET", body, headers } = asked;
  const token = "token" in asked ? asked.token : ADMIN_TOKEN;
  const isRaw =
    typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
  return new Request(`http://gateway.example/_tidegate/api/v1${path}`, {
    method,
    headers: {
      "cf-connecting-ip": "192.0.2.1",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: (isRaw ? body : JSON.stringify(body)) as BodyInit }),
    duplex: "half",
  } as RequestInit);
}
