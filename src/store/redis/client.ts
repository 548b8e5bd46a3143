/** What a store needs of a Redis client. */
export interface RedisClient {
  evalsha(sha1: string, keys: string[], args: string[]): Promise<unknown>;
  eval(script: string, keys: string[], args: string[]): Promise<unknown>;
}

/** Where a Redis is reached over HTTP, as Upstash's REST API. */
export interface RedisEndpoint {
  readonly url: string;
  readonly token: string;
}
