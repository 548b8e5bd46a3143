import { parseJson } from "./json-text.ts";
import { Refusal } from "./refusal.ts";

const NO_JSON = 'Send JSON, with the field "Content-Type: application/json".';

/** Reads the body of a request as JSON; `undefined` if it is empty. */
export async function readBody(request: Request, maxBytes: number): Promise<unknown> {
  const text = await readText(request, maxBytes);
  if (text === "") return undefined;
  // Forms need no permission of another site; what it sends as JSON does.
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(?:;|$)/i.test(type)) throw new Refusal(415, NO_JSON);
  return parseJson(text);
}

async function readText({ headers, body }: Request, maxBytes: number): Promise<string> {
  if (Number(headers.get("content-length")) > maxBytes) throw tooLarge(maxBytes);
  if (!body) return "";
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = body.getReader();
  let text = "";
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      bytes += value.byteLength;
      if (bytes > maxBytes) throw tooLarge(maxBytes);
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    // The rest of the body is not needed.
    await reader.cancel().catch(() => {});
    if (error instanceof Refusal) throw error;
    throw new Refusal(400, "The body is not UTF-8, or ended before its end.");
  }
}

export function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, `Send at most ${maxBytes} bytes.`);
}
