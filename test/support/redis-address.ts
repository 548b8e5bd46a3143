import { type AddressInfo, connect, createServer, type Socket } from "node:net";

import { onTestFinished } from "vitest";

/** One address in front of Redis servers, as a service's name is. */
export interface RedisAddress {
  readonly url: string;
  readonly port: number;
  /** The number of open connections of clients. */
  connections(): number;
  /** The number of connections that clients have made. */
  made(): number;
  /** The number of scripts that clients have sent. */
  scripts(): number;
  /** Has new connections reach another server. Open ones stay where they are. */
  pointAt(next: { port: number }): void;
  /** From now on a connection ends when a script has been passed on, before its reply. */
  cutReplies(): void;
  /** Has connections that are open now answer every script by an error. */
  spoil(error: string): void;
}

/** Starts an address that ends with the test. */
export async function startAddress(target: { port: number }): Promise<RedisAddress> {
  let { port } = target;
  let cuts = false;
  let made = 0;
  let scripts = 0;
  const open = new Set<Socket>();
  const spoilt = new Map<Socket, string>();
  const server = createServer((client) => {
    made++;
    const upstream = connect(port, "127.0.0.1");
    open.add(client);
    client.on("data", (chunk) => {
      const sent = chunk.toString("latin1").match(/\r\neval(?:sha)?\r\n/gi)?.length ?? 0;
      scripts += sent;
      const error = spoilt.get(client);
      if (error !== undefined && sent > 0) {
        client.write(`-${error}\r\n`.repeat(sent));
        return;
      }
      upstream.write(chunk, () => {
        if (cuts && sent > 0) client.destroy();
      });
    });
    upstream.on("data", (chunk) => client.write(chunk));
    const end = () => {
      open.delete(client);
      client.destroy();
      upstream.destroy();
    };
    for (const side of [client, upstream]) side.on("error", () => {}).on("close", end);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const own = (server.address() as AddressInfo).port;
  return {
    url: `redis://127.0.0.1:${own}`,
    port: own,
    connections: () => open.size,
    made: () => made,
    scripts: () => scripts,
    pointAt: (next) => (port = next.port),
    cutReplies: () => (cuts = true),
    spoil: (error) => open.forEach((client) => spoilt.set(client, error)),
  };
}
