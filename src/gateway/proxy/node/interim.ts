import type { ClientRequest, ServerResponse } from "node:http";

import { hopFields } from "../hop-by-hop.ts";
import type { Exchange } from "./bindings.ts";
import { fieldsOf } from "./raw-fields.ts";

/** Newer versions of Node send any interim response, older ones only hints. */
type Informing = ServerResponse & {
  writeInformation?(status: number, fields: readonly string[]): void;
};

/** Passes interim responses of the origin on, such as early hints. */
export function passInterim(request: ClientRequest, { incoming, outgoing }: Exchange): void {
  // Clients of HTTP/1.0 take the first response for the last one.
  if ("stream" in outgoing || incoming.httpVersion === "1.0") return;
  request.on("information", ({ statusCode, rawHeaders }) => {
    // The server has sent its own already, where the client waits for one.
    if (statusCode === 100 || outgoing.headersSent) return;
    const hop = hopFields(null);
    const fields = fieldsOf(rawHeaders as readonly string[]).filter(
      ([name]) => !hop.has(name.toLowerCase()),
    );
    (outgoing as Informing).writeInformation?.(statusCode, fields.flat());
  });
}
