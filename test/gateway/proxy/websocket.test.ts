import { once } from "node:events";

import { beforeAll, describe, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";

import { useDeployed } from "../deployed.ts";

const gateway = useDeployed();

/** The upgrades as the origin saw them. */
const upgrades: { url: string | undefined; fields: Record<string, unknown> }[] = [];

beforeAll(() => {
  const sockets = new WebSocketServer({ server: gateway.origin, path: "/once/socket" });
  sockets.on("connection", (socket, { url, headers }) => {
    upgrades.push({ url, fields: headers });
    socket.on("message", (data, binary) => socket.send(data, { binary }));
  });
});

function open(path: string, headers: Record<string, string>): WebSocket {
  return new WebSocket(gateway.url.replace("http", "ws") + path, ["chat"], { headers });
}

describe("a WebSocket through the gateway in workerd", () => {
  test("is passed on, both ways, with the fields of the front", async () => {
    const headers = { "x-test": crypto.randomUUID() };
    const socket = open("/once/socket", { ...headers, "X-Forwarded-Host": "evil.example" });
    await once(socket, "open");
    socket.send("hello");
    expect(String((await once(socket, "message"))[0])).toBe("hello");
    socket.send(new Uint8Array([1, 2, 3]));
    expect([...((await once(socket, "message"))[0] as Buffer)]).toEqual([1, 2, 3]);
    expect(upgrades.at(-1)).toMatchObject({
      url: "/once/socket",
      fields: {
        "x-test": headers["x-test"],
        "x-forwarded-host": new URL(gateway.url).host,
        "sec-websocket-protocol": "chat",
      },
    });
    socket.close(1000, "bye");
    expect((await once(socket, "close"))[0]).toBe(1000);
  });

  test("is limited as a request: the second one is denied before the origin is asked", async () => {
    const headers = { "x-test": crypto.randomUUID() };
    await once(open("/once/socket", headers), "open");
    const before = upgrades.length;
    const socket = open("/once/socket", headers);
    const [, response] = await once(socket, "unexpected-response");
    expect(response.statusCode).toBe(429);
    expect(response.headers["content-type"]).toBe("application/problem+json");
    expect(upgrades.length).toBe(before);
  });

  test("that the origin does not want is answered by the origin", async () => {
    const socket = open("/other", {});
    const [, response] = await once(socket, "unexpected-response");
    expect(response.statusCode).toBe(400);
    expect(response.headers["ratelimit-policy"]).toBe('"all";q=1000000;w=2592000');
  });
});
