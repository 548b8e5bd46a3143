import type { TokenReader } from "../features/jwt/read-token.ts";
import type { ControlInspection } from "../gateway/live/control-facts.ts";
import type { GatewayFault } from "../gateway/live/live-health.ts";
import type { Gauges } from "../metrics/open-metrics.ts";
import type { Recorder } from "../metrics/recorder.ts";
import type { Fault } from "../options/errors.ts";
import type { EntryKind } from "../store/control/live-state.ts";
import type { ControlPlace } from "../store/counts-place.ts";
import type { Store } from "../store/store.ts";

/** The state of a client in a policy. */
export interface ExplainedPolicy {
  readonly name: string;
  readonly algorithm: string;
  readonly mode: string;
  /** The counted client, readable, such as `x-user-id:42`; `*` for all clients. */
  readonly partition: string;
  /** Names the client to blocks and overrides by `digest`, where it has an address, which an override cannot name. */
  readonly digest?: string;
  readonly limit: number;
  readonly remaining: number;
  /** `null` if waiting does not help. */
  readonly retryAfterMs: number | null;
  readonly resetAfterMs: number;
  /** When the window of a calendar ends, and its time zone; absent for other windows. */
  readonly renewsAt?: string;
  readonly timeZone?: string;
  readonly allowed: boolean;
  /** The least number of times it denied this partition in the last hour; absent without metrics. */
  readonly deniedLastHour?: number;
}

/** A rule that covers a request. */
export interface ExplainedRule {
  readonly index: number;
  readonly method: string;
  readonly path: string;
  readonly policies: readonly ExplainedPolicy[];
}

/** An entry of a list, as it stands there. */
export type ListedEntry = Readonly<Record<string, unknown>>;

/** The gateway's treatment of a request, and the reason. */
export interface Explanation {
  readonly verdict: "allowed" | "denied" | "exempt" | "blocked" | "refused" | "passed";
  /** The status of the gateway's answer; 200 where the origin would answer. */
  readonly status: number;
  readonly reason: string;
  /** In seconds. */
  readonly retryAfter?: number;
  /** The version of the rules that decided. */
  readonly version: number;
  readonly plan?: string;
  /** The identity or pattern of the override that applies. */
  readonly override?: string;
  /** The entries that name the client, of the list that exempts or blocks it; at most ten. */
  readonly entries?: readonly ListedEntry[];
  readonly rules: readonly ExplainedRule[];
}

/** The client that a policy counts. */
export interface CountedClient {
  readonly policy: string;
  /** As in keys. */
  readonly identity: string;
  /** The same with the values of headers in place of their hashes. */
  readonly partition: string;
}

/** A request as data. */
export interface DescribedRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly ip?: string;
  readonly country?: string;
  readonly asn?: number;
}

/** The rules that a gateway enforces now, by their numbers. */
export interface Enforced {
  /** The version of the live document; 0 for the deployed rules. */
  readonly version: number;
  readonly revision: number;
  readonly source: "live" | "deployed";
  /** A newer version, which a part of the clients has. */
  readonly trial?: { readonly version: number; readonly percent: number };
  /** The version that Redis had when it was read last, and was newer; another one than is in force if that has faults. */
  readonly published: number | undefined;
  /** The age of Redis's last answer about the rules; `undefined` before the first answer. */
  readonly ageMs: number | undefined;
  /** The fault of the rules in the control store, which the gateway therefore does not use. */
  readonly error?: string;
  /** When a gateway put back what the store had lost, in the last hour and since the last publication. */
  readonly restoredAtMs?: number;
}

/** Rules that an isolate enforces, even if Redis has others. */
export interface HeldRules {
  readonly version: number;
  readonly source: "live" | "deployed";
  readonly document: unknown;
}

/** The parts of a gateway that its administration reads and changes. */
export interface Administered {
  readonly prefix: string;
  /** The place of the control data; `undefined` where no live rules are read: there is none, or `LIVE_REFRESH` is off. */
  readonly control: ControlPlace | undefined;
  readonly store: Store;
  readonly adminToken: string | undefined;
  readonly readToken: string | undefined;
  /** The SHA-256 of tokens that read and write, in hexadecimal digits, by the names of their owners. */
  readonly namedTokens: ReadonlyMap<string, string>;
  /** The deployed rules as a document. */
  readonly deployed: unknown;
  /** The faults in a document with their paths, up to a thousand; none if the gateway can enforce it. */
  checkDocument(document: unknown): readonly Fault[];
  /** How many entries by single calls the rules of a sound document would leave out of force. */
  leftOutBy(document: unknown): number;
  /** The paths of the unnamed policies whose counts begin anew where a sound document follows another. */
  renamedBy(before: unknown, after: unknown): readonly string[];
  /** Whether the rules in force leave an entry by a single call out of force. */
  isLeftOut(kind: EntryKind, id: string): boolean;
  /** Every fault in an entry of a list, or in an override, with its path in the entry. */
  checkEntry(kind: EntryKind, entry: unknown): readonly Fault[];
  enforced(): Enforced;
  /** Why the gateway is unwell although its store decides; `undefined` if it is not. */
  fault(): GatewayFault | undefined;
  /** `undefined` without a control store. */
  readonly controlInspection: ControlInspection | undefined;
  /** `undefined` where no tokens are verified. */
  readonly tokenReader: Pick<TokenReader, "error"> | undefined;
  /** The rules that this isolate holds and enforces as a document, the entries by single calls among its lists. */
  held(): HeldRules;
  /** The names of the policies of each rule that `held()` has. */
  policyNames(): readonly (readonly string[])[];
  /**
   * Has the control store count this isolate's decisions of a trial, and reads the live rules now, so that it enforces new ones at
   * once.
   */
  refresh(): Promise<void>;
  /** The counts, also without live rules; `undefined` where metrics are off. */
  readonly metrics: Pick<Recorder, "reader" | "flush" | "flushMs" | "nameOf"> | undefined;
  /** The clients that the policies of the covering rules count for this request. */
  counted(request: DescribedRequest): Promise<readonly CountedClient[]>;
  /** The number of policies in force by their behaviour in an outage. */
  onFailure(): Readonly<Record<"local" | "open" | "closed", number>>;
  /** Measured values, as this isolate sees them. */
  gauges(): Promise<Gauges>;
  /** Explains the decision about a request, without taking units. */
  explain(request: DescribedRequest): Promise<Explanation>;
  /** Resets the counts of this request's client in the policies of the covering rules. */
  reset(
    request: DescribedRequest,
  ): Promise<readonly { readonly policy: string; readonly partition: string }[]>;
  /**
   * Resets a policy's counts of the client with this name in metrics.
   *
   * @throws ConfigurationError if there is no such policy, or the digest does not identify a client
   */
  resetDigest(
    policy: string,
    digest: string,
  ): Promise<readonly { readonly policy: string; readonly partition: string }[]>;
  /**
   * The client's address as the trusted platform reports it, IPv6 by its /64.
   *
   * @param connection the address of the connection, where it is the trusted one
   */
  clientAddress(request: Request, connection: string | undefined): string | undefined;
}
