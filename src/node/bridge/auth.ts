import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

import { BridgeError } from "./errors.ts";

export type Authenticate = (request: IncomingMessage) => void;

/**
 * Takes the token from the Authorization field alone. Upstash takes it from the query too, but a URL ends up in logs, and
 * any page can have a browser ask for one.
 */
export function bearerAuth(token: string): Authenticate {
  const expected = digest(token);
  return (request) => {
    const sent = /^Bearer (.*)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
    // Digests have one length, so not even the token's length shows in the time taken.
    if (!timingSafeEqual(digest(sent), expected)) {
      throw new BridgeError(401, "WRONGPASS invalid or missing auth token");
    }
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
