import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Stands between a client and a server on this machine, as if they were apart. */
export interface Distance {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Delays the data in both directions by half of the round trip, and a new connection by a whole one, as TCP does. The one or two
 * further round trips of TLS are left out.
 */
export async function openDistance(upstream: string, roundTripMs: number): Promise<Distance> {
  const { hostname, port } = new URL(upstream);
  const sockets = new Set<Socket>();

  function carry(from: Socket, to: Socket): void {
    from.on("data", (bytes) => later(roundTripMs / 2, () => to.write(bytes)));
    from.on("close", () => later(roundTripMs / 2, () => to.destroy()));
    from.on("error", () => {});
    sockets.add(from);
  }

  const server = createServer((near) => {
    near.pause();
    later(roundTripMs, () => {
      const far = connect(Number(port), hostname);
      carry(near, far);
      carry(far, near);
      near.resume();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Timers wait for a millisecond at least; a distance within one building is less. */
function later(ms: number, act: () => void): void {
  if (ms >= 1) {
    setTimeout(act, ms);
    return;
  }
  const dueMs = performance.now() + ms;
  const look = () => (performance.now() < dueMs ? setImmediate(look) : act());
  look();
}
