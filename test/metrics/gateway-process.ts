// A gateway in a process of its own, as docs/metrics.md stops one. It takes its variables from the environment, says its
// port, and writes its counts when it is told to.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { admin, metrics } from "../../src/admin.ts";
import { createGateway } from "../../src/gateway.ts";
import { listenTo } from "../support/gateway/serve.ts";

const gateway = createGateway(process.env, { admin, metrics });
const answer = listenTo((request) => gateway.fetch(request));
const server = createServer((request, response) => {
  // A connection that is busy does not end by itself.
  if (!server.listening) response.setHeader("Connection", "close");
  answer(request, response);
});
server.listen(0, "127.0.0.1", () => process.send!((server.address() as AddressInfo).port));

process.once("SIGTERM", () => {
  server.close(async () => {
    await gateway.flush();
    process.exit();
  });
});

process.on("message", async () => {
  await gateway.flush();
  process.send!("written");
});
