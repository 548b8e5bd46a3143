import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import type { Backend, BackendReply, RedisCommand } from "./backend.ts";

const guard = readFileSync(new URL("declared-keys.lua", import.meta.url), "latin1")
  .trim()
  .replaceAll(/\s*\n\s*/g, " ");

interface Translated {
  readonly command: RedisCommand;
  /** Set where the reply names the text that Redis got instead of the one that was sent. */
  readonly reply?: BackendReply;
}

/**
 * Stock Redis rejects `#!lua flags=allow-key-locking`. In front of this, a script with that flag
 * runs, under the SHA1 of the text its author knows, and is held to the flag's rule that every
 * key it touches is declared.
 */
export function emulateUpstash(backend: Backend): Backend {
  const accepted = new Map<string, string>();

  function accept(script: string | Buffer): { text: string | Buffer; sha?: string } {
    const text = stockForm(script);
    if (!text) return { text: script };
    const sha = sha1(script);
    accepted.set(sha, sha1(text));
    return { text, sha };
  }

  function known(sha: string | Buffer): string | Buffer {
    return accepted.get(String(sha).toLowerCase()) ?? sha;
  }

  function translate(command: RedisCommand): Translated {
    const { name, args } = command;
    const [first, ...rest] = args;
    if (first === undefined) return { command };
    switch (name) {
      case "EVAL":
      case "EVAL_RO":
        return { command: { name, args: [accept(first).text, ...rest] } };
      case "EVALSHA":
      case "EVALSHA_RO":
        // When Redis has lost the script, its own NOSCRIPT is the right answer to the translated one.
        return { command: { name, args: [known(first), ...rest] } };
      case "SCRIPT":
        return translateScript(command, String(first).toUpperCase(), rest);
      default:
        return { command };
    }
  }

  function translateScript(
    command: RedisCommand,
    subcommand: string,
    rest: readonly (string | Buffer)[],
  ): Translated {
    const [script] = rest;
    if (subcommand === "LOAD" && script !== undefined) {
      const { text, sha } = accept(script);
      return {
        command: { name: command.name, args: [subcommand, text, ...rest.slice(1)] },
        ...(sha && { reply: Buffer.from(sha) }),
      };
    }
    if (subcommand === "EXISTS") {
      return { command: { name: command.name, args: [subcommand, ...rest.map(known)] } };
    }
    if (subcommand === "FLUSH") accepted.clear();
    return { command };
  }

  return {
    connected: () => backend.connected(),
    close: () => backend.close(),
    async send(command) {
      const { command: stock, reply: instead } = translate(command);
      const reply = await backend.send(stock);
      return instead ?? reply;
    },
    async transaction(commands) {
      const translated = commands.map(translate);
      const replies = await backend.transaction(translated.map(({ command }) => command));
      return replies.map((reply, i) =>
        reply instanceof Error ? reply : (translated[i]?.reply ?? reply),
      );
    },
  };
}

/** The guarded text that stock Redis takes; `undefined` for a script that isn't flagged. */
function stockForm(script: string | Buffer): Buffer | undefined {
  // latin1 keeps every byte, whatever the script's encoding.
  const text = Buffer.from(script as string).toString("latin1");
  const shebang = /^#!lua +flags=(\S+)[ \r]*\n/.exec(text);
  const flags = shebang?.[1]?.split(",") ?? [];
  if (!shebang || !flags.includes("allow-key-locking")) return undefined;
  const others = flags.filter((flag) => flag !== "allow-key-locking").join(",");
  const body = text.slice(shebang[0].length);
  // Either way the guard takes one existing line break, so that line n stays line n.
  const guarded = others ? `#!lua flags=${others}\n${guard} ${body}` : `${guard}\n${body}`;
  return Buffer.from(guarded, "latin1");
}

function sha1(text: string | Buffer): string {
  return createHash("sha1").update(text).digest("hex");
}
