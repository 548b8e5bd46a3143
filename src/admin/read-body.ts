import { readAtMost } from "../runtime/read-at-most.ts";
import { parseJson } from "./json-text.ts";
import { Refusal } from "./refusal.ts";

const NO_JSON = 'Send JSON, with the field "Content-Type: application/json".';

/**
 * Reads the body of a request as JSON; `undefined` if it is empty.
 *
 * @param advice for a client whose body is too long, after a blank
 */
export async function readBody(request: Request, maxBytes: number, advice = ""): Promise<unknown> {
  const text = await readText(request, maxBytes, advice);
  if (text === "") return undefined;
  // Forms need no permission of another site; what it sends as JSON does.
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(?:;|$)/i.test(type)) throw new Refusal(415, NO_JSON);
  return parseJson(text);
}

/** Read of a body that is refused, so that its client can send another request on the same connection. */
const SKIPPED_BYTES = 16 * 1024 * 1024;

async function readText({ body }: Request, maxBytes: number, advice: string): Promise<string> {
  try {
    const bytes = await readAtMost(body, maxBytes, SKIPPED_BYTES);
    if (bytes) return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal(400, "The body is not UTF-8, or ended before its end.");
  }
  throw tooLarge(maxBytes, advice);
}

export function tooLarge(maxBytes: number, advice = ""): Refusal {
  return new Refusal(413, `Send at most ${maxBytes} bytes.${advice}`);
}
