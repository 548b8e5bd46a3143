import { once } from "node:events";
import { createServer } from "node:net";
import type { Server } from "node:net";

export interface Claim {
  readonly port: number;
  /** The variable to set to use another port. */
  readonly variable: string;
}

/** Throws if one of the ports cannot be listened on, or if two parts claim the same, before anything is started. */
export async function checkPorts(claims: readonly Claim[]): Promise<void> {
  const servers: Server[] = [];
  try {
    for (const { port, variable } of claims) {
      const server = createServer();
      servers.push(server);
      try {
        await once(server.listen(port, "127.0.0.1"), "listening");
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        throw new Error(describe(port, variable, code), { cause: error });
      }
    }
  } finally {
    await Promise.all(servers.map(close));
  }
}

function describe(port: number, variable: string, code: string | undefined): string {
  const fault = code === "EADDRINUSE" ? "is taken" : `cannot be used (${code})`;
  return `port ${port} ${fault}: set ${variable} to another one`;
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  await once(server, "close");
}
