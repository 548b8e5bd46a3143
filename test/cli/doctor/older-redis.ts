import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { Redis } from "ioredis";

/**
 * A REST API in front of a real Redis that answers as one of version 6.0: `SET` knows no `PXAT`, a script has no line
 * of flags, `redis.REDIS_VERSION` does not exist, and errors of scripts read as they did then. It is a stand-in: the
 * words are those of that version's sources, and no Redis 6.0 takes part.
 */
export async function startOlderRedis(redisUrl: string, token: string) {
  const redis = new Redis(redisUrl, { disableClientInfo: true });
  const guarded = new Map<string, string>();

  function guard(script: string): string {
    const before = `local real = redis
      local function old(call) return function(...)
        local command = {...}
        for i = 1, #command do if command[i] == 'PXAT' then error({ err = 'ERR syntax error' }) end end
        if command[1] == 'INFO' then return '# Server\\r\\nredis_version:6.0.16\\r\\n' end
        return call(...)
      end end
      local redis = { call = old(real.call), pcall = old(real.pcall) }`;
    return `${before.replaceAll(/\s*\n\s*/g, " ")} ${script}`;
  }

  async function run([name, script, keys, ...rest]: string[]): Promise<unknown> {
    if (name === "EVALSHA") {
      const text = guarded.get(script!);
      if (text === undefined) throw new Error("NOSCRIPT No matching script. Please use EVAL.");
      return redis.eval(text, keys!, ...rest);
    }
    if (script!.startsWith("#!")) {
      throw new Error(
        "ERR Error compiling script (new function): user_script:1: unexpected symbol near '#' ",
      );
    }
    guarded.set(createHash("sha1").update(script!).digest("hex"), guard(script!));
    return redis.eval(guard(script!), keys!, ...rest);
  }

  function asThen(error: unknown): string {
    const message = (error as Error).message.replace(/ script: [0-9a-f]+, on .*$/, "");
    if (/^(NOSCRIPT|ERR Error compiling)/.test(message)) return message;
    return `ERR Error running script (call to f_${"0".repeat(40)}): @user_script:9: @user_script: 9: ${message} `;
  }

  const server = createServer(async (request, response) => {
    const respond = (status: number, body: object) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (request.headers.authorization !== `Bearer ${token}`) {
      return respond(401, { error: "Unauthorized" });
    }
    try {
      respond(200, { result: await run(JSON.parse(await text(request)) as string[]) });
    } catch (error) {
      respond(400, { error: asThen(error) });
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      redis.disconnect();
    },
  };
}
