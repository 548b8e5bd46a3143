/** What sources read of a request. Each source reads its own part, so nothing is taken apart that no source needs. */
export interface Asked {
  readonly request: RequestParts;
  /** What came along with the request, for its socket. */
  readonly bindings?: unknown;
  /** The segments of the path in every reading, where rules have paths. */
  readonly readings?: PathReadings;
}

/** The parts of a `Request` that sources read. */
export interface RequestParts {
  readonly headers: Headers;
  readonly url: string;
  /** What Cloudflare Workers know about the connection. */
  readonly cf?: unknown;
}

export type PathReadings = readonly (readonly string[])[];

/** The `:name` segments of a rule's path. */
export interface NamedSegments {
  readonly names: readonly string[];
  /** Compiles the function that reads the value of a name; `undefined` if the path does not have the name. */
  reader(name: string): ((readings: PathReadings) => string | undefined) | undefined;
}
