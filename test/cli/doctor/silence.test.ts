import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, expect, onTestFinished, test, vi } from "vitest";

import { runDoctor } from "../../../packages/cli/src/doctor/run-doctor.ts";

afterEach(() => void vi.restoreAllMocks());

/** Servers that take connections: one never answers, one never ends its answer. */
const SILENT: Readonly<Record<string, Parameters<typeof createServer>[1]>> = {
  "does not answer": () => {},
  "does not end its answer": (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write("{");
  },
};

async function start(kind: string): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer(SILENT[kind]!);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** Has time-outs end after a moment, and returns how long each was to be. */
function shortTimeouts(): number[] {
  const asked: number[] = [];
  const { timeout } = AbortSignal;
  vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    asked.push(ms);
    return timeout(100);
  });
  return asked;
}

test.each(
  Object.keys(SILENT).flatMap((kind) => [
    ["REST API", kind, "redis-unreachable"],
    ["gateway", kind, "gateway-unreachable"],
  ]),
)("a %s that %s is %s after five seconds", async (what, kind, id) => {
  const { url, server } = await start(kind);
  const asked = shortTimeouts();
  const { findings } = await runDoctor(
    what === "gateway" ? { url } : { rest: { url, token: "test" } },
  );
  expect(findings.map((finding) => finding.id)).toEqual([id]);
  if (what === "gateway") expect(findings[0]!.evidence).toBe(`${url}: no answer within 5 s`);
  expect(new Set(asked)).toEqual(new Set([5_000]));
  await expect.poll(() => connectionsOf(server)).toBe(0);
});

const connectionsOf = (server: Server) =>
  new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  );
