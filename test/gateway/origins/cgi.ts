import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { onTestFinished } from "vitest";

import { freePort } from "../../../scripts/support/free-port.ts";

/** Answers with the variables that a request's fields became. */
const WSGI = `
import json, sys
from wsgiref.simple_server import make_server, WSGIRequestHandler

class Quiet(WSGIRequestHandler):
    def log_message(self, *args):
        pass

def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps({k: v for k, v in environ.items() if k.startswith("HTTP_")}).encode()]

server = make_server("127.0.0.1", int(sys.argv[1]), app, handler_class=Quiet)
print("ready", flush=True)
server.serve_forever()
`;

const PHP = `<?php
$fields = array_filter($_SERVER, fn($name) => str_starts_with($name, "HTTP_"), ARRAY_FILTER_USE_KEY);
header("Content-Type: application/json");
echo json_encode($fields, JSON_FORCE_OBJECT);
`;

/** An origin that reads fields as CGI does, by the address where it listens. */
export interface CgiOrigin {
  readonly name: string;
  /** Whether this machine has it: `.ci/run` installs it. */
  readonly isHere: boolean;
  start(): Promise<string>;
}

const isHere = (program: string) => spawnSync(program, ["--version"]).status === 0;

/** What a request's fields became: `HTTP_X_API_KEY` and the like. */
export type Variables = Readonly<Record<string, string>>;

export const CGI_ORIGINS: readonly CgiOrigin[] = [
  {
    name: "WSGI",
    isHere: isHere("python3"),
    async start() {
      const port = await freePort();
      await startProgram("python3", ["-u", "-c", WSGI, String(port)], "stdout", /ready/);
      return `http://127.0.0.1:${port}`;
    },
  },
  {
    name: "PHP",
    isHere: isHere("php"),
    async start() {
      const folder = mkdtempSync(join(tmpdir(), "php-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const script = join(folder, "index.php");
      writeFileSync(script, PHP);
      const address = `127.0.0.1:${await freePort()}`;
      await startProgram("php", ["-S", address, script], "stderr", /started/);
      return `http://${address}`;
    },
  },
];

/** Starts a program that ends with the test, and waits for the line that says it serves. */
async function startProgram(
  program: string,
  args: readonly string[],
  output: "stdout" | "stderr",
  ready: RegExp,
): Promise<void> {
  const child: ChildProcess = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(async () => {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  for await (const line of createInterface(child[output]!)) if (ready.test(line)) return;
  throw new Error(`${program} did not start.`);
}
