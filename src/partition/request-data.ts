import type { Faults } from "../options/faults.ts";
import type { Claims } from "./claims.ts";

/** The data of a request that sources read. Each source reads its own part, so no unused part is parsed. */
export interface RequestData {
  readonly request: RequestParts;
  /** The address of the connection, where it is the trusted one. */
  readonly connection?: string | undefined;
  /**
   * The values that sources have read from this request, by source: many rules can count by one source, and a client decides how long
   * each takes to read. Without it, each policy reads anew.
   */
  readonly known?: Map<string, string | undefined | Promise<string>>;
  /** The claims of the request's token, where a source or the plan reads one, and the token is verified. */
  readonly claims?: Claims | undefined;
  /** The segments of the path in every reading, where rules have paths. */
  readonly readings?: PathReadings;
}

export interface RequestParts {
  readonly headers: Headers;
  readonly url: string;
  /** Cloudflare's data about the connection. */
  readonly cf?: unknown;
}

export type PathReadings = readonly (readonly string[])[];

/** The `:name` segments of a rule's path. */
export interface NamedSegments {
  /** Compiles the function that reads the value of a name; adds a fault if the path does not have the name. */
  reader(name: string, path: string, faults: Faults): ReadSegment;
}

/** Reads the value of a segment; `undefined` if the request does not have it. */
export type ReadSegment = (readings: PathReadings) => string | undefined;
