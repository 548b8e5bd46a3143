import { serve } from "@hono/node-server";
import { admin, metrics } from "tidegate/admin";
import { createGateway } from "tidegate/gateway";
import { passUpgrades } from "tidegate/node";

import { rules } from "./rules.ts";

const gateway = createGateway(
  { CLIENT_IP: "socket", ...process.env, RULES: JSON.stringify(rules) },
  { admin, metrics },
);

const port = Number(process.env["PORT"] ?? 3000);
const hostname = process.env["HOST"] ?? "127.0.0.1";
const server = serve({ fetch: gateway.fetch, port, hostname }, () => {
  console.log(`The gateway listens on http://${hostname}:${port}`);
});

const endSockets = passUpgrades(server, gateway);

process.once("SIGTERM", () => {
  server.close(() => void gateway.flush());
  endSockets();
});
