import { type ClientFacts, clientFacts } from "../client-fields.ts";
import type { Forward, Forwarded } from "../origin.ts";
import { fieldsThatPass, trailersThatPass } from "../outgoing-fields.ts";
import {
  BODY,
  CODING,
  FIELDS,
  refusal,
  type Refusal,
  STATUS,
  UPGRADE,
  UPGRADE_WITH_BODY,
} from "../refusal.ts";
import { pathOf, rawTarget } from "../target.ts";
import { isPassable } from "./answer.ts";
import { type Asking, askOrigin } from "./ask-origin.ts";
import { alreadySent, canUpgrade, type Exchange, exchangeOf, isLetGo } from "./bindings.ts";
import { bodyOf, bodyOfRequest } from "./body.ts";
import { passInterim } from "./interim.ts";
import { requestFields } from "./request-fields.ts";
import { responseOf } from "./response.ts";
import { hasRoomFor, send } from "./send.ts";
import { tunnel } from "./tunnel.ts";
import { isWebSocket } from "./web-socket.ts";

/**
 * Asks the origin by Node's own client, which leaves methods, fields and bodies as they are, where `fetch()` changes them. The
 * answer is written to the server's own response where there is one, because a `Response` cannot hold all of it.
 */
export const forward: Forward = async (forwarded) => {
  const { request, bindings, origin, decided } = forwarded;
  const exchange = exchangeOf(request, bindings);
  const refused = refuse(request, exchange);
  if (refused) return { kind: "answered", response: refusal(refused) };
  if (exchange ? exchange.outgoing.destroyed : request.signal.aborted) return { kind: "gone" };
  const url = new URL(request.url);
  const facts = clientFacts(url, request.headers, bindings, origin.trusted);
  const asking = begin(forwarded, url, exchange, facts);
  const answered = await asking.answered;
  switch (answered.kind) {
    case "response": {
      const answer = { message: answered.message, origin, facts };
      if (!isPassable(answer.message)) {
        asking.request.destroy();
        return { kind: "unreachable" };
      }
      if (!exchange) return { kind: "answered", response: responseOf(answer) };
      if (!hasRoomFor(answer.message.statusCode!, exchange.outgoing)) {
        asking.request.destroy();
        return { kind: "answered", response: refusal(STATUS) };
      }
      await send(answer, asking.request, exchange.outgoing, forwarded);
      return { kind: "sent", response: alreadySent(answer.message.statusCode!) };
    }
    case "upgrade":
      if (!exchange || !canUpgrade(exchange.incoming)) {
        answered.socket.destroy();
        return { kind: "unreachable" };
      }
      await tunnel({ message: answered.message, origin, facts }, answered, exchange, decided);
      return { kind: "sent", response: alreadySent(101) };
    default:
      return answered;
  }
};

function begin(
  forwarded: Forwarded,
  url: URL,
  exchange: Exchange | undefined,
  facts: ClientFacts,
): Asking {
  const { request, origin, decided } = forwarded;
  const { method, headers } = request;
  const passes = fieldsThatPass(headers.get("connection"), forwarded.passes);
  const body = exchange
    ? bodyOf(exchange.incoming, trailersThatPass(passes, forwarded.isRead))
    : bodyOfRequest(request);
  const path = rawTarget(exchange?.incoming.url, pathOf(url));
  const fields = requestFields(request, exchange?.incoming, body, { passes, facts, decided });
  const asking = askOrigin({ method, address: origin.url! + path, fields }, origin.timeoutMs);
  giveUpWithClient(asking, request, exchange);
  if (exchange) passInterim(asking.request, exchange);
  body.sendTo(asking.request);
  return asking;
}

/** Lets go of the origin when the client has gone: a server's response until it is answered, another one until its end. */
function giveUpWithClient(
  { request: asked, answered, giveUp }: Asking,
  { signal }: Request,
  exchange: Exchange | undefined,
): void {
  if (exchange) {
    const { outgoing } = exchange;
    outgoing.once("close", giveUp);
    void answered.then(() => outgoing.off("close", giveUp));
  } else {
    signal.addEventListener("abort", giveUp, { once: true });
    asked.once("close", () => signal.removeEventListener("abort", giveUp));
  }
}

/** Node reads so many fields of a request unless a server says otherwise. Versions before 24 drop the others, and do not tell. */
const MAX_FIELDS = 1_000;

/** A request that would arrive as another one: without its body, its coding, its upgrade or some of its fields. */
function refuse(
  { method, headers, body }: Request,
  exchange: Exchange | undefined,
): Refusal | undefined {
  // A list of names and values.
  if (exchange && exchange.incoming.rawHeaders.length >= 2 * MAX_FIELDS) return FIELDS;
  const coding = headers.get("transfer-encoding");
  const hasBody = coding !== null || Number(headers.get("content-length")) > 0;
  // On such a connection Node reads no more bytes as a body.
  if (exchange && hasBody && isLetGo(exchange.incoming)) return UPGRADE_WITH_BODY;
  if (exchange && canUpgrade(exchange.incoming)) return undefined;
  if (isWebSocket(headers.get("connection"), headers.get("upgrade"))) return UPGRADE;
  if (coding !== null && coding.toLowerCase() !== "chunked") return CODING;
  if (exchange || (method !== "GET" && method !== "HEAD")) return undefined;
  return hasBody && body === null ? BODY : undefined;
}
