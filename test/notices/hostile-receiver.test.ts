import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";

import { expect, test, type TestContext, vi } from "vitest";

import { createWebhook } from "../../src/gateway/config/webhook.ts";

/* Receivers that want to keep the sender's sockets, as their own side counts them. */

const HEAD = "HTTP/1.1 200 OK\r\n";
const EMPTY = "Content-Length: 0\r\n\r\n";

/** Writes this again and again, for as long as the sender keeps the connection. */
function dripping(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 2);
  socket.once("end", () => clearInterval(timer)).once("close", () => clearInterval(timer));
}

/** Counts the connections that the sender has not ended; this side ends none. */
async function openHostile(
  behave: (socket: Socket) => void,
  onTestFinished: TestContext["onTestFinished"],
) {
  const open = new Set<Socket>();
  const counts = { connections: 0 };
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    counts.connections++;
    open.add(socket);
    socket.once("end", () => open.delete(socket)).once("close", () => open.delete(socket));
    // The sender may reset a connection that it does not want.
    socket.on("error", () => {});
    socket.once("data", () => behave(socket));
    sockets.push(socket);
  });
  const sockets: Socket[] = [];
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, open, counts };
}

const TAKEN = "taken";

// Each waits for time-outs of its own.
test.concurrent.for<
  [name: string, outcome: RegExp | typeof TAKEN, behave: (socket: Socket) => void]
>([
  ["says nothing", /no answer in time/, () => {}],
  ["begins with a status line and stops", /no answer in time/, (socket) => socket.write(HEAD)],
  [
    "sends a field every two milliseconds, without end",
    /no answer in time|overflow/i,
    (socket) => {
      socket.write(HEAD);
      dripping(socket, "X-A: b\r\n");
    },
  ],
  [
    "sends early hints without end",
    /no answer in time/,
    (socket) => dripping(socket, "HTTP/1.1 103 Early Hints\r\n\r\n"),
  ],
  [
    "sends a body without end",
    TAKEN,
    (socket) => {
      socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
      dripping(socket, "5\r\nhello\r\n");
    },
  ],
  [
    "begins a body and stops",
    TAKEN,
    (socket) => socket.write(`${HEAD}Content-Length: 9\r\n\r\nbegin`),
  ],
  ["wants the connection kept", TAKEN, (socket) => socket.write(HEAD + EMPTY)],
  [
    "wants it kept for ten minutes",
    TAKEN,
    (socket) =>
      socket.write(`${HEAD}Connection: keep-alive\r\nKeep-Alive: timeout=600\r\n${EMPTY}`),
  ],
  [
    "leads to itself in a circle",
    /302/,
    (socket) =>
      socket.write(`HTTP/1.1 302 Found\r\nLocation: /\r\nKeep-Alive: timeout=600\r\n${EMPTY}`),
  ],
  [
    "fails with a body that does not end",
    /503/,
    (socket) => socket.write("HTTP/1.1 503 No\r\nContent-Length: 1000000\r\n\r\nbegin"),
  ],
  [
    "switches to another protocol",
    /./,
    (socket) => socket.write(`HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n`),
  ],
])("a receiver that %s keeps no connection", async ([, outcome, behave], { onTestFinished }) => {
  const { url, open, counts } = await openHostile(behave, onTestFinished);
  const place = { url, keys: [new Uint8Array(32)] };
  const send = createWebhook(place, { tryMs: 500, pausesMs: [1] });
  const sent = send({ id: "a", body: {} }).then(
    () => TAKEN,
    (error: Error) => error.message,
  );
  expect(await sent).toMatch(outcome);
  expect(counts.connections).toBeGreaterThan(0);
  // The end of a connection takes a turn to arrive.
  await vi.waitFor(() => expect(open.size).toBe(0), { timeout: 15_000 });
});
