import fc from "fast-check";
import { expect } from "vitest";

import { useBridge } from "./bridge-under-test.ts";
import { fuzz } from "./fuzz.ts";
import { hostileText } from "./hostile.ts";
import { commandOf } from "./redis-commands.ts";

const bridge = useBridge();
const command = commandOf(() => bridge.shapes);

fuzz("any command is answered", 600, () =>
  fc.asyncProperty(command, async (parts) => {
    await bridge.expectProper(await bridge.ask({ body: JSON.stringify(parts) }));
  }),
);

fuzz("any batch of commands is answered, each in its place", 300, () =>
  fc.asyncProperty(
    fc.array(fc.oneof({ weight: 9, arbitrary: command }, fc.jsonValue()), { maxLength: 5 }),
    fc.constantFrom("/pipeline", "/multi-exec"),
    async (commands, path) => {
      const answer = await bridge.ask({ path, body: JSON.stringify(commands) });
      await bridge.expectProper(answer);
      if (answer.status === 200) expect(answer.body).toHaveLength(commands.length);
    },
  ),
);

const word = fc.constantFrom("STREAMS", "GROUP", "BLOCK", "COUNT", "NOACK");
const option = fc.constantFrom(["BLOCK", "0"], ["COUNT", "1"], ["NOACK"]);

fuzz("a read of a stream never waits, whatever its group and consumer are called", 100, () =>
  fc.asyncProperty(
    word,
    word,
    fc.uniqueArray(option),
    fc.constantFrom(">", "0", "$"),
    async (group, consumer, options, from) => {
      const read = ["XREADGROUP", "GROUP", group, consumer, options, "STREAMS", "log", from].flat(
        2,
      );
      const create = ["XGROUP", "CREATE", "log", group, "$", "MKSTREAM"];
      await bridge.ask({ body: JSON.stringify(create) });
      await bridge.expectProper(await bridge.ask({ body: JSON.stringify(read) }));
    },
  ),
);

fuzz("arguments within each other are answered, however deep", 20, () =>
  fc.asyncProperty(fc.nat(200_000), async (depth) => {
    const nested = `["ECHO",${"[".repeat(depth)}${"]".repeat(depth)}]`;
    await bridge.expectProper(await bridge.ask({ body: nested }));
  }),
);

const body = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.json({ maxDepth: 4 }),
  command.map((parts) => JSON.stringify(parts).slice(0, -1)),
  hostileText,
);

fuzz("any body is answered", 500, () =>
  fc.asyncProperty(body, fc.constantFrom("/", "/pipeline", "/multi-exec"), async (bytes, path) => {
    await bridge.expectProper(await bridge.ask({ path, body: bytes }));
  }),
);

/** Decodes base64 to plain text; a bare OK stays readable. */
function decode(value: unknown, bare = true): unknown {
  if (Array.isArray(value)) return value.map((item) => decode(item, false));
  if (typeof value !== "string" || (bare && value === "OK")) return value;
  return Buffer.from(value, "base64").toString();
}

fuzz("a reply in base64 is the same reply", 200, () =>
  fc.asyncProperty(
    fc.jsonValue({ maxDepth: 4 }),
    fc.array(fc.uint8Array({ minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 3 }),
    async (nested, values) => {
      const key = crypto.randomUUID();
      for (const value of values) {
        const segment = Buffer.from(value).toString("hex").replaceAll(/../g, "%$&");
        await bridge.ask({ path: `/rpush/${key}/${segment}`, body: "" });
      }
      for (const command of [
        ["EVAL", "return cjson.decode(ARGV[1])[1]", 0, JSON.stringify([nested])],
        ["LRANGE", key, 0, -1],
        ["LINDEX", key, 0],
        ["TYPE", key],
      ]) {
        const asked = { body: JSON.stringify(command) };
        const plain = await bridge.ask(asked);
        const encoded = await bridge.ask({ ...asked, headers: { "upstash-encoding": "base64" } });
        expect(encoded.status).toBe(plain.status);
        const { result, error } = encoded.body as { result?: unknown; error?: string };
        expect(error === undefined ? { result: decode(result) } : { error }).toEqual(plain.body);
      }
    },
  ),
);
