import { Readable } from "node:stream";

import { refusal, STATUS } from "../refusal.ts";
import { type Answer, answerFields, reasonOf } from "./answer.ts";
import { SENT } from "./bindings.ts";

/** Statuses whose responses have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** An answer of the origin as a `Response`, where no response of a server is at hand. */
export function responseOf(answer: Answer): Response {
  const { message } = answer;
  const status = message.statusCode!;
  if (status > 599) {
    message.destroy();
    return refusal(STATUS);
  }
  const headers = new Headers();
  for (const [name, value] of answerFields(answer).list) headers.append(name, value);
  // A `Response` has no place for the fields that one announces. The other is the server's own.
  for (const name of ["trailer", SENT]) headers.delete(name);
  const init = { status, statusText: reasonOf(message), headers };
  if (BODILESS.has(status)) {
    message.resume();
    return new Response(null, init);
  }
  return new Response(Readable.toWeb(message) as never, init);
}
