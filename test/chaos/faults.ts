import { randomBytes } from "node:crypto";

import type { ErrorCode } from "../../src/index.ts";
import * as fault from "../support/fault-proxy.ts";

interface NamedFault {
  readonly name: string;
  readonly fault: fault.Fault;
  readonly code: ErrorCode;
  /** It takes the whole timeout to notice. */
  readonly hangs?: boolean;
}

const html = "<!doctype html><title>Error</title><h1>Something went wrong</h1>";
const page = "text/html; charset=utf-8";
const json = "application/json";

/** All that can be wrong on the way to Redis and back. */
export const FAULTS: readonly NamedFault[] = [
  { name: "reset before forwarding", fault: fault.resetBefore, code: "ERR_STORE_UNREACHABLE" },
  { name: "reset after forwarding", fault: fault.resetAfterUs, code: "ERR_STORE_UNREACHABLE" },
  { name: "every reply dropped", fault: fault.dropReplies(1), code: "ERR_STORE_UNREACHABLE" },
  { name: "reply cut off", fault: fault.cutReply, code: "ERR_STORE_UNREACHABLE" },
  { name: "half-open", fault: fault.halfOpen, code: "ERR_STORE_TIMEOUT", hangs: true },
  { name: "400 ms late", fault: fault.delay(400), code: "ERR_STORE_TIMEOUT", hangs: true },
  { name: "dripping reply", fault: fault.drip(40), code: "ERR_STORE_TIMEOUT", hangs: true },
  { name: "truncated JSON", fault: fault.truncate, code: "ERR_STORE_REPLY" },
  {
    name: "JSON of something else",
    fault: fault.answers(200, json, "{}"),
    code: "ERR_STORE_REPLY",
  },
  { name: "garbage", fault: fault.answers(200, json, randomBytes(80)), code: "ERR_STORE_REPLY" },
  { name: "200 with HTML", fault: fault.answers(200, page, html), code: "ERR_STORE_REPLY" },
  { name: "500 with HTML", fault: fault.answers(500, page, html), code: "ERR_STORE_REPLY" },
  { name: "503 with HTML", fault: fault.answers(503, page, html), code: "ERR_STORE_REPLY" },
  {
    name: "500 with JSON",
    fault: fault.answers(500, json, '{"error":"ERR internal error"}'),
    code: "ERR_STORE_REFUSED",
  },
  {
    name: "503 with JSON",
    fault: fault.answers(503, json, '{"error":"ERR the database is being moved"}'),
    code: "ERR_STORE_REFUSED",
  },
  {
    name: "401",
    fault: fault.answers(401, json, '{"error":"WRONGPASS invalid or missing auth token"}'),
    code: "ERR_STORE_UNAUTHORIZED",
  },
];
