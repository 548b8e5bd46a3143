import { describe, expect, test } from "vitest";

import { CASES, type Case, type Difference } from "./cases.ts";
import { PLATFORMS } from "./platforms.ts";
import { exchange, type Message, type WireOrigin } from "./wire.ts";

/** Fields of a hop, of the gateway, and those that say of a body that there is none. */
const ASIDE =
  /^(?:connection|keep-alive|transfer-encoding|te|expect|upgrade|http2-settings|host|x-forwarded-(?:for|host|proto)|ratelimit(?:-policy)?|x-ratelimit-.+|cf-connecting-ip)$/i;

/** Fields that Workers set themselves. */
const OF_WORKERS = /^(?:accept-encoding|cf-worker)$/i;

type Fields = Message["fields"];

/** A message, so that those through the gateway and past it can be compared. */
function comparable(message: Message, read: (fields: Fields) => unknown) {
  const kept = message.fields.filter(
    ([name, value]) => !ASIDE.test(name) && !(/^content-length$/i.test(name) && value === "0"),
  );
  return {
    ...message,
    line: message.line.replace("HTTP/1.0", "HTTP/1.1"),
    fields: read(kept),
    // Each server on the way writes its own, where a client waits for it.
    interim: message.interim.filter((head) => !head.startsWith("HTTP/1.1 100")),
  };
}

const READ = {
  node: (fields: Fields) => fields,
  /** Names have no capitals there and come in another order, and values of one name are joined. */
  workerd(fields: Fields) {
    const values = new Map<string, string>();
    for (const [name, value] of fields) {
      if (OF_WORKERS.test(name)) continue;
      const key = name.toLowerCase();
      values.set(key, values.has(key) ? `${values.get(key)}, ${value}` : value);
    }
    return Object.fromEntries(values);
  },
};

/** What a request and its answer become on their way to the origin and back. */
async function passing(url: string, origin: WireOrigin, { ask, answer }: Case) {
  origin.script = (_asked, socket) => {
    socket.write(answer, "latin1");
    if (/^HTTP\/1\.0|Connection: close/.test(answer)) socket.end();
  };
  origin.seen.length = 0;
  const answered = await exchange(url, ask);
  return { asked: origin.seen[0], answered };
}

const changed = (
  message: Message,
  change: ((message: Message) => Partial<Message>) | undefined,
) => ({
  ...message,
  ...change?.(message),
});

describe.each(["node", "workerd"] as const)("through the gateway on %s", (platform) => {
  const gateway = PLATFORMS[platform]();

  test.each(CASES)("$name", async (row) => {
    const past = await passing(gateway.origin.url, gateway.origin, row);
    const through = await passing(gateway.url, gateway.origin, row);
    const difference: Difference = row[platform] ?? {};
    if (typeof difference === "number") {
      expect(through.answered.line).toMatch(new RegExp(`^HTTP/1.1 ${difference} `));
      return;
    }
    const read = READ[platform];
    const asked = changed(past.asked!, difference.asked);
    const answered = changed(past.answered, difference.answered);
    expect(comparable(through.asked!, read)).toEqual(comparable(asked, read));
    expect(comparable(through.answered, read)).toEqual(comparable(answered, read));
  });
});
