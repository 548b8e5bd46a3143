import type { ServerResponse } from "node:http";

import type { Decided } from "../origin.ts";
import { type Answer, answerFields, reasonOf } from "./answer.ts";
import type { Upgraded } from "./ask-origin.ts";
import type { Exchange } from "./bindings.ts";
import { PRESENT } from "./send.ts";

/** Connects a client with its origin after both have changed the protocol. Resolves when the connection has ended. */
export async function tunnel(
  answer: Answer,
  { socket: origin, head }: Upgraded,
  { incoming, outgoing }: Exchange,
  decided: Decided | undefined,
): Promise<void> {
  const client = incoming.socket;
  (outgoing as ServerResponse).detachSocket(client);
  const lines = [
    `HTTP/1.1 101 ${reasonOf(answer.message)}`,
    ...answerFields(answer).list.map(([name, value]) => `${name}: ${value}`),
    "Connection: Upgrade",
    `Upgrade: ${answer.message.headers.upgrade}`,
  ];
  client.write(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
  client.write(head);
  client.pipe(origin).pipe(client);
  // The request is over: nothing of it is kept for as long as the connection lasts.
  decided?.settlement?.now(101, PRESENT);
  await new Promise<void>((resolve) => {
    const close = () => {
      client.destroy();
      origin.destroy();
      resolve();
    };
    for (const side of [client, origin]) {
      side.once("error", close);
      side.once("close", close);
    }
  });
}
