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
 * What a limiter sends to Redis for one request: it is told that its script is unknown, and so sends the text. Stock
 * Redis does not take Upstash's flag, so that its line is left out.
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
    // A made-up reply need not please whoever gets it.
    if (!call) throw error;
  });
  return call!;
}
