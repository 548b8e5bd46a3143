import type { ServerResponse } from "node:http";

import type { Decided } from "../origin.ts";
import type { Upgraded } from "./ask-origin.ts";
import type { Exchange } from "./bindings.ts";
import { type Answer, answerFields } from "./send.ts";

/** Connects a client with its origin after both have changed the protocol. Resolves when the connection has ended. */
export async function tunnel(
  answer: Answer,
  { socket: origin, head }: Upgraded,
  { incoming, outgoing }: Exchange,
  decided: Decided | undefined,
): Promise<void> {
  const client = incoming.socket;
  (outgoing as ServerResponse).detachSocket(client);
  const { statusMessage = "", headers } = answer.message;
  const lines = [
    `HTTP/1.1 101 ${statusMessage}`,
    ...answerFields(answer).list.map(([name, value]) => `${name}: ${value}`),
    "Connection: Upgrade",
    `Upgrade: ${headers.upgrade}`,
  ];
  client.write(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  client.write(head);
  client.pipe(origin).pipe(client);
  const watcher = decided?.settlement?.watcher(101, { signal: { aborted: false } });
  const chunk = watcher?.chunk;
  // Without slots, the request is over: nothing has to be kept for as long as the connection lasts.
  if (!chunk) watcher?.end();
  await new Promise<void>((resolve) => {
    const close = () => {
      client.destroy();
      origin.destroy();
      resolve();
    };
    for (const side of [client, origin]) {
      if (chunk) side.on("data", chunk);
      side.once("error", close);
      side.once("close", close);
    }
  });
  if (chunk) watcher.end();
}
