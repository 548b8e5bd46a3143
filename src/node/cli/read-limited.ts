import { NoAnswerError } from "./errors.ts";

/** The text of an answer, which is refused as soon as it is longer than any of an admin API. */
export async function readLimited(response: Response, maxBytes: number): Promise<string> {
  if (!response.body) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  // Leaving the loop early ends the connection.
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      throw new NoAnswerError(
        `The answer has more than ${maxBytes} bytes, as none of a gateway has.`,
      );
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
