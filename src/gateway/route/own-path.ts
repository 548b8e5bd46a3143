import { decode, foldCase } from "../../partition/decode.ts";
import type { Readings, Segments } from "../rules/path.ts";

/** The first segment of the gateway's own paths; no spelling of it reaches the origin. */
export const OWN = "_tidegate";

/**
 * The path of a request, as it was sent, if it is one of the gateway's own; `/` for any other. Hono routes by it: its own
 * reading of a path decodes it, and throws and catches an error for each escape that is not UTF-8, which a client could
 * make take 40 ms.
 */
export function ownPath({ url }: Pick<Request, "url">): string {
  // Behind "https://" there is the first slash of the path.
  const start = url.indexOf("/", url.indexOf(":") + 3);
  return url.startsWith(`/${OWN}`, start) ? /^[^?#]*/.exec(url.slice(start))![0] : "/";
}

/** Whether a path that has no readings, because no honest client sends it, begins like one of the gateway's own. */
export function beginsLikeOwn(pathname: string): boolean {
  const text = decode(decode(pathname)).replace(/;[^/]*/g, "");
  return foldCase(/^[/\\]*(\w*)/.exec(text)![1]!) === OWN;
}

/** Whether some origin reads a path as one of the gateway's own. */
export function isOwn({ plain, others, wider }: Readings): boolean {
  return plain[0] === OWN || others.some(startsOwn) || wider.some(startsOwn);
}

function startsOwn([first]: Segments): boolean {
  return first === OWN;
}
