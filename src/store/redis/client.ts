import type { Dialect, DialectName } from "./dialect.ts";

/** What a store needs of a Redis client. */
export interface RedisClient {
  evalsha(sha1: string, keys: string[], args: string[]): Promise<unknown>;
  eval(script: string, keys: string[], args: string[]): Promise<unknown>;
}

/** Where a Redis is, and which scripts it takes. */
export interface RedisPlace extends RedisEndpoint {
  /** Default: its address tells. */
  readonly dialect?: DialectName | undefined;
}

/** How a Redis is asked. */
export interface ClientSettings {
  readonly timeoutMs: number;
  /** Which scripts it takes. Default: its address tells. */
  readonly dialect?: DialectName | undefined;
}

/** A client, and what is known about the scripts of its Redis. */
export interface ScriptClient {
  readonly client: RedisClient;
  readonly dialect: Dialect;
}

/** Where a Redis is reached over HTTP, as Upstash's REST API. */
export interface RedisEndpoint {
  readonly url: string;
  readonly token: string;
}
