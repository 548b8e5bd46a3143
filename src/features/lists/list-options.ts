/** Clients named by one of four facts. */
export interface EntryOptions {
  /** An IPv4 or IPv6 address, or a range of them: `"203.0.113.7"`, `"203.0.113.0/24"`, `"2001:db8::/32"`. Default: another one. */
  readonly cidr?: string;
  /**
   * In the gateway, and in middleware that partitions by sources: a header's name and value, such as `"x-user-id:42"`.
   * With a `partition` function: its result. With `createLimiter()`: a string of the identity. Default: another one.
   */
  readonly identity?: string;
  /** The number of an autonomous system, where Cloudflare or Vercel says it; with `createLimiter()`, where the identity does. Range: 1 to 4,294,967,295. Default: another one. */
  readonly asn?: number;
  /** Two capitals of ISO 3166-1, or `"T1"` for Tor, where Cloudflare or Vercel says it; with `createLimiter()`, where the identity does. Default: another one. */
  readonly country?: string;
  /**
   * When the entry ends: `"2027-01-01T00:00:00Z"`, with any time zone, or milliseconds since 1970. Default: never.
   */
  readonly until?: string | number;
}

/** An entry gives exactly one of `cidr`, `identity`, `asn` and `country`. */
export type ListEntry = EntryOptions &
  {
    readonly [Fact in Exclude<keyof EntryOptions, "until">]: Required<Pick<EntryOptions, Fact>>;
  }[Exclude<keyof EntryOptions, "until">];

/** The exempt and the denied clients. */
export interface ListOptions {
  /**
   * Clients that are not limited, even if `deny` names them too. Their requests take no units and send no call to
   * Redis. Default: none.
   */
  readonly allow?: readonly ListEntry[];
  /** Clients that get a 403. With a `cidr` among them, a client whose address is not known gets one, too. Default: none. */
  readonly deny?: readonly ListEntry[];
}
