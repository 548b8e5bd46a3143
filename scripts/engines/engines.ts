/** A server that the tests can run on, as Debian packages it. */
export interface Engine {
  readonly name: string;
  /** The Debian release that has it. */
  readonly suite: string;
  readonly tools: string;
  /** The server under its other name: the package of the tools has it, because it checks files, too. */
  readonly program: string;
}

const REDIS = { tools: "redis-tools", program: "redis-check-rdb" };
const VALKEY = { tools: "valkey-tools", program: "valkey-check-rdb" };

export const ENGINES: readonly Engine[] = [
  { name: "redis-7.0", suite: "bookworm", ...REDIS },
  { name: "redis-8.0", suite: "sid", ...REDIS },
  { name: "valkey-8.0", suite: "bookworm-backports", ...VALKEY },
  { name: "valkey-8.1", suite: "trixie", ...VALKEY },
  { name: "valkey-9.1", suite: "sid", ...VALKEY },
];
