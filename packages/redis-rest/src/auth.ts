import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

import { BridgeError } from "./errors.ts";

export type Authenticate = (request: IncomingMessage) => void;

/**
 * Takes any of the tokens, so that a new one can replace an old one while clients still send that.
 *
 * Takes it from the Authorization field alone. Upstash takes it from the query too, but a URL ends up in logs, and
 * any page can have a browser ask for one.
 */
export function bearerAuth(tokens: readonly string[]): Authenticate {
  const expected = tokens.map(digest);
  return (request) => {
    const sent = digest(/^Bearer (.*)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "");
    // Digests have one length, so not even the token's length shows in the time taken; nor does which one it was.
    const equal = expected.filter((each) => timingSafeEqual(sent, each));
    if (equal.length === 0) {
      throw new BridgeError(401, "WRONGPASS invalid or missing auth token");
    }
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
