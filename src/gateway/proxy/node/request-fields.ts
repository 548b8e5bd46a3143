import type { ClientFacts } from "../client-fields.ts";
import type { Decided } from "../origin.ts";
import { ownFields } from "../outgoing-fields.ts";
import { canUpgrade, type Incoming } from "./bindings.ts";
import { type Body, framingOf } from "./body.ts";
import { currentFields, type Field } from "./raw-fields.ts";

/** Decides which fields of a request the origin gets. */
export interface Passage {
  readonly passes: (name: string) => boolean;
  readonly facts: ClientFacts;
  readonly decided: Decided | undefined;
}

/**
 * The fields of a request as the origin gets them, besides `Host`.
 *
 * @param incoming the server's own request, whose fields are in their order and have their capitals
 */
export function requestFields(
  { method, headers }: Request,
  incoming: Incoming | undefined,
  body: Body,
  { passes, facts, decided }: Passage,
): readonly Field[] {
  const framing = framingOf(body, method);
  const came = incoming ? currentFields(incoming.rawHeaders, headers) : [...headers];
  const kept = came.filter(([name, value]) => {
    const key = name.toLowerCase();
    if (key === "content-length") return value === framing?.[1];
    // It announces the fields after the body, which only a server's own request has.
    return passes(key) || (key === "trailer" && incoming !== undefined);
  });
  const hasLength = kept.some(([name]) => name.toLowerCase() === "content-length");
  return [
    ...kept,
    ...(framing && !hasLength ? [framing] : []),
    ...(incoming ? hopOf(incoming, headers) : []),
    ...ownFields(facts, decided?.decision),
  ];
}

/** The fields for the hop to the origin, where the client asks for what passes. */
function hopOf(incoming: Incoming, headers: Headers): readonly Field[] {
  if (canUpgrade(incoming)) {
    return [
      ["Connection", "Upgrade"],
      ["Upgrade", headers.get("upgrade")!],
    ];
  }
  if (!/(?:^|,)[\t ]*trailers[\t ]*(?:,|$)/i.test(headers.get("te") ?? "")) return [];
  return [
    ["Connection", "keep-alive, TE"],
    ["TE", "trailers"],
  ];
}
