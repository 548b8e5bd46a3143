import type { PlacedFault } from "../check/check-text.ts";
import type { Environment } from "./checks/environments.ts";
import type { WantedLease } from "./checks/leases.ts";
import type { Variable } from "./checks/variables.ts";
import type { CountedRule } from "./gather/commands.ts";
import type { Algorithm } from "./memory-formula.ts";

export interface DoctorOptions {
  readonly url?: string;
  /** A token of the gateway, for what its metrics say. Default: none, and they are not looked at. */
  readonly token?: string;
  /** The address of `ADMIN_HOST`, where the gateway has one. Default: `url`. */
  readonly adminUrl?: string;
  /** Another deployment, which shall share no counts with the gateway. */
  readonly preview?: string;
  /** The Redis over HTTP, as the limiter reaches it. */
  readonly rest?: { readonly url: string; readonly token: string };
  /** `redis://` or `rediss://`: asked for facts that the REST API does not have. */
  readonly redisUrl?: string;
  /** The Redis of a region: its REST API, or `redis://` without a token. */
  readonly region?: { readonly url: string; readonly token?: string | undefined };
  /** A limited path of the gateway. Default: `/`. */
  readonly path?: string;
  /** The method with which that path is limited. Default: `GET`. */
  readonly method?: string;
  /** A header by which the gateway counts. Default: `x-user-id`. */
  readonly identityHeader?: string;
  /** The start of the limiter's keys. Default: `tg`. */
  readonly prefix?: string;
  /** How many identities count at once, for the memory formula. */
  readonly partitions?: number;
  /** How many policies count each of them. Default: 1. */
  readonly policies?: number;
  /** The algorithm of those policies. Default: `sliding-window-counter`, the largest of those with a state of constant size. */
  readonly algorithm?: Algorithm;
  /** The limit of those policies; only some states grow with it. Default: 100. */
  readonly limit?: number;
  /** The rules whose commands are counted. Default: one, of `policies` by `algorithm`. */
  readonly rules?: readonly CountedRule[];
  /** The limiter's `timeout`, in milliseconds. Default: 250. */
  readonly timeoutMs?: number;
  /** Those of a wrangler file. */
  readonly faults?: readonly PlacedFault[];
  /** Those of the Worker that grow with the rules. */
  readonly variables?: readonly Variable[];
  /** Those of a wrangler file. */
  readonly environments?: readonly Environment[];
  /** The leases that its rules ask for. */
  readonly leases?: readonly WantedLease[];
  /** Round trips that are measured. Default: 50. */
  readonly pings?: number;
}
