/** Names and values in order, as a Durable Object keeps them. */
export interface KeptValues {
  get(name: string): unknown;
  put(name: string, value: unknown): void;
  delete(name: string): boolean;
  list(options?: {
    readonly prefix: string;
    readonly reverse?: boolean;
    readonly limit?: number;
    readonly end?: string;
  }): Iterable<readonly [string, unknown]>;
}
