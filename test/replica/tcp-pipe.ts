import { once } from "node:events";
import { type AddressInfo, createServer, type Socket, connect } from "node:net";

/** A way between a replica and its primary. The primary's bytes can be held up. */
export interface TcpPipe {
  readonly port: number;
  /** Holds the primary's bytes from now on. */
  hold(): void;
  /** Passes on the held bytes, and those that follow. */
  pass(): void;
  /** Ends all connections, and accepts no more. */
  cut(): Promise<void>;
}

export async function startTcpPipe(targetPort: number): Promise<TcpPipe> {
  const pairs = new Set<{ readonly near: Socket; readonly far: Socket }>();
  let isHeld = false;

  const server = createServer((near) => {
    const far = connect(targetPort, "127.0.0.1");
    const pair = { near, far };
    pairs.add(pair);
    near.pipe(far);
    far.on("data", (bytes) => near.write(bytes));
    if (isHeld) far.pause();
    const end = () => {
      near.destroy();
      far.destroy();
      pairs.delete(pair);
    };
    for (const socket of [near, far]) socket.on("error", end).on("close", end);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");

  return {
    port: (server.address() as AddressInfo).port,
    hold() {
      isHeld = true;
      for (const { far } of pairs) far.pause();
    },
    pass() {
      isHeld = false;
      for (const { far } of pairs) far.resume();
    },
    async cut() {
      const closed = once(server, "close");
      server.close();
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
      await closed;
    },
  };
}
