import type { Decision } from "../../decide/decision.ts";
import type { ResponseSettlement } from "../../features/holds/settle-response.ts";
import type { ClientIp } from "../../partition/client-ip.ts";
import type { Permission } from "../route/cors.ts";
import type { PassesOn } from "./outgoing-fields.ts";
import type { OwnAddress } from "./own-address.ts";

/** The server behind the gateway. */
export interface Origin {
  /** Without a trailing slash; `undefined` keeps the request's own URL. */
  readonly url: string | undefined;
  /** How long it may take to begin its answer, in milliseconds; `undefined` for as long as it takes. */
  readonly timeoutMs: number | undefined;
  /** The source that may tell it about clients; `undefined` if the connection alone does. */
  readonly trusted: ClientIp | undefined;
  /** How its own address is kept from clients; `undefined` where they know it. */
  readonly address: OwnAddress | undefined;
}

/** The kind of failure of a request that the origin did not answer. */
export type OriginFailure = "unreachable" | "timeout";

/** A decision, and its part in the answer to the request. */
export interface Decided {
  readonly decision: Decision;
  readonly settlement: ResponseSettlement | undefined;
}

/** A request on its way to the origin. */
export interface Forwarded {
  readonly request: Request;
  /** The platform's data beside the request, such as its connection. */
  readonly bindings: unknown;
  readonly origin: Origin;
  /** `undefined` if no rule covers the request. */
  readonly decided: Decided | undefined;
  /** Whether the origin gets a field, unless `Connection` names it. */
  readonly passes: PassesOn;
  /** Whether the rules in force read a field, in any spelling of its name. */
  readonly isRead: (name: string) => boolean;
  /** Lets a site's scripts read the gateway's own answers, and the origin's to a request that a rule covers. */
  readonly permission?: Permission | undefined;
}

/** The way a request ended. */
export type Outcome =
  /** The origin's answer, or one to a request or an answer that this platform cannot pass on. */
  | { readonly kind: "answered"; readonly response: Response }
  /** The answer has been sent with the decision's fields. The response tells so. */
  | { readonly kind: "sent"; readonly response: Response }
  | { readonly kind: OriginFailure; readonly error?: unknown }
  /** The client has hung up before there was an answer. */
  | { readonly kind: "gone" };

/** Asks the origin. The platform chooses which one imports of `#forward` find. */
export type Forward = (forwarded: Forwarded) => Promise<Outcome>;
