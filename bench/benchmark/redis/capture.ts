/** One call of a script, as a limiter sends it. */
export interface ScriptCall {
  readonly script: string;
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

interface Recorder {
  evalsha(sha1: string, keys: string[], args: unknown[]): Promise<never>;
  eval(script: string, keys: string[], args: unknown[]): Promise<unknown>;
}

/**
 * Captures the commands that a limiter sends to Redis for one request: the reply says that the script is unknown, so that the
 * limiter sends the text. Stock Redis does not take Upstash's flag, so that its line is left out.
 */
export async function capture(request: (redis: Recorder) => Promise<unknown>): Promise<ScriptCall> {
  let call: ScriptCall | undefined;
  await request({
    evalsha: async () => {
      throw new Error("NOSCRIPT No matching script. Please use EVAL.");
    },
    async eval(script, keys, args) {
      call = { script: script.replace(/^#!lua.*\n/, ""), keys, args: args.map(String) };
      return [1, 1, 1];
    },
  }).catch((error: unknown) => {
    // A limiter need not accept a made-up reply.
    if (!call) throw error;
  });
  return call!;
}
