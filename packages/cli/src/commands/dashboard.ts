import { once } from "node:events";

import type { Command } from "commander";

import { connectionOf, wantsJson } from "../connection.ts";
import { serveDashboard } from "../dashboard-server.ts";
import { UsageError } from "../errors.ts";
import { withExamples } from "../help.ts";
import { note, print, printJson } from "../output/print.ts";

export function registerDashboard(program: Command): void {
  withExamples(
    program
      .command("dashboard")
      .description(
        "Serve the dashboard of a gateway on this machine, until it is stopped. The token stays in this program.",
      )
      .option("--port <port>", "the port on this machine (default: a free one)")
      .action(dashboard),
    "npx tidegate dashboard",
    "npx tidegate dashboard --url https://api.example.com --port 4000",
  );
}

async function dashboard({ port }: { readonly port?: string }, command: Command): Promise<void> {
  const connection = connectionOf(command);
  const server = await serveDashboard(connection, readPort(port));
  if (wantsJson(command)) printJson({ url: server.url });
  else print(server.url);
  note(
    `The dashboard of ${connection.url}. Anyone with its address can use the token: stop it with Ctrl+C.`,
  );
  const ended = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => ended.abort());
  await once(ended.signal, "abort");
  await server.stop();
}

/** 0 is a free one. */
function readPort(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new UsageError(`--port takes a number from 1 to 65535, not "${text}".`);
}
