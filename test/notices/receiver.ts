import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface ReceivedMessage {
  readonly body: string;
  readonly headers: Record<string, string>;
}

/** A receiver's reaction to a message, once it has it. */
export type Answering = (response: ServerResponse, request: IncomingMessage) => void;

/** A receiver of webhooks. */
export interface Receiver {
  readonly url: string;
  readonly received: ReceivedMessage[];
  answer: Answering;
  stop(): Promise<void>;
}

export const SECRET = `whsec_${btoa("0123456789abcdef0123456789abcdef")}`;

export async function openReceiver(): Promise<Receiver> {
  const received: ReceivedMessage[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    received.push({ body, headers: request.headers as Record<string, string> });
    receiver.answer(response, request);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=1`,
    received,
    answer: (response) => response.writeHead(204).end(),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
