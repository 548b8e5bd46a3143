import { problemResponse } from "../../decide/problem.ts";

/** An answer of the gateway's own to a request that it does not pass on, or without an answer of the origin. */
export interface Refusal {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
}

export const BAD_GATEWAY: Refusal = {
  status: 502,
  title: "Bad Gateway",
  detail: "The origin did not answer.",
};

export const GATEWAY_TIMEOUT: Refusal = {
  status: 504,
  title: "Gateway Timeout",
  detail: "The origin did not answer in time.",
};

/** An origin would show the client the fields that proxies added. */
export const TRACE: Refusal = {
  status: 501,
  title: "Not Implemented",
  detail: "The gateway passes no TRACE on.",
};

/** No `Response` and no answer of HTTP/2 has such a status. */
export const STATUS: Refusal = {
  status: 502,
  title: "Bad Gateway",
  detail: "The origin answered with a status that cannot be passed on.",
};

export const UPGRADE: Refusal = {
  status: 501,
  title: "Not Implemented",
  detail: "The gateway passes no WebSocket on here.",
};

/** The body of a GET or HEAD: some platforms drop it, or pass it on only if its length is known. */
export const BODY: Refusal = {
  status: 501,
  title: "Not Implemented",
  detail: "The gateway cannot pass on the body of this request here.",
};

/** Some of them may be missing. */
export const FIELDS: Refusal = {
  status: 431,
  title: "Request Header Fields Too Large",
  detail: "The request has more header fields than the gateway reads.",
};

/** The gateway would undo the coding, and the origin could not tell. */
export const CODING: Refusal = {
  status: 501,
  title: "Not Implemented",
  detail: "The gateway passes no transfer coding on but chunked.",
};

/** The body would be the beginning of what follows in the new protocol. */
export const UPGRADE_WITH_BODY: Refusal = {
  status: 400,
  title: "Bad Request",
  detail: "A request that changes the protocol has no body.",
};

export function refusal({ status, title, detail }: Refusal): Response {
  return problemResponse({ type: "about:blank", title, status, detail });
}
