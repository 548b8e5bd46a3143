/** One Redis command, every argument already text or bytes. */
export interface RedisCommand {
  readonly name: string;
  readonly args: readonly (string | Buffer)[];
}

/**
 * A RESP2 reply. Strings are bytes; a `string` is an integer too long to be a number for sure.
 * Errors occur inside arrays only: a reply that is one is thrown.
 */
export type BackendReply = Buffer | string | number | null | Error | BackendReply[];

export interface Backend {
  /** Settles once the first connection attempt has; says whether it succeeded. */
  connected(): Promise<boolean>;
  send(command: RedisCommand): Promise<BackendReply>;
  /** All or none, uninterleaved. A command that fails while it runs is an Error in its place. */
  transaction(commands: readonly RedisCommand[]): Promise<BackendReply[]>;
  close(): void;
}
