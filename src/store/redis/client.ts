import type { Dialect, DialectName } from "./dialect.ts";

/** The client functions that a store needs. */
export interface RedisClient {
  evalsha(sha1: string, keys: string[], args: string[]): Promise<unknown>;
  eval(script: string, keys: string[], args: string[]): Promise<unknown>;
}

/** The address of a Redis, and the dialect of its scripts. */
export interface RedisAddress extends RedisEndpoint {
  /** Default: derived from its address. */
  readonly dialect?: DialectName | undefined;
}

export interface ClientSettings {
  readonly timeoutMs: number;
  /** The dialect of its scripts. Default: derived from its address. */
  readonly dialect?: DialectName | undefined;
}

export interface ScriptClient {
  readonly client: RedisClient;
  readonly dialect: Dialect;
}

/** The address of a Redis that is reached over HTTP, as with Upstash's REST API. */
export interface RedisEndpoint {
  readonly url: string;
  readonly token: string;
}
