import { once } from "node:events";

import type { Command } from "commander";

import { connectionOf, wantsJson } from "../connection.ts";
import { serveDashboard } from "../dashboard-server.ts";
import { withExamples } from "../help.ts";
import { note, print, printJson } from "../output/print.ts";

export function registerDashboard(program: Command): void {
  withExamples(
    program
      .command("dashboard")
      .description(
        "Serve the dashboard of a gateway on this machine, until it is stopped. The token stays in this program.",
      )
      .action(dashboard),
    "npx tidegate dashboard",
    "npx tidegate dashboard --url https://api.example.com",
  );
}

async function dashboard(_options: unknown, command: Command): Promise<void> {
  const connection = connectionOf(command);
  const server = await serveDashboard(connection);
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
