/** The parts of an address that origins read as a query. */
export interface Queries {
  /** Behind the question mark. */
  readonly query: string;
  /** Those that only some origins take for it, or for a part of it: behind a `;` in the path (Fastify 4), and behind a `#`. */
  readonly others: readonly string[];
}

/** @param url an address, or its part from the path on */
export function queriesOf(url: string): Queries {
  const [, parameters = "", query = "", fragment = ""] =
    /^[^?#;]*;?([^?#]*)\??([^#]*)#?([^]*)/.exec(url)!;
  return { query, others: [parameters, fragment].filter((text) => text !== "") };
}
