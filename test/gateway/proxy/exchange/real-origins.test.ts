import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { startWorker } from "../../../../scripts/local-stack/worker.ts";
import { freePort } from "../../../../scripts/support/free-port.ts";
import { generous } from "../../../support/gateway/gateway.ts";
import { IS_WHOLE } from "../../../support/runs.ts";
import { startOnNode } from "./platforms.ts";
import { exchange } from "./wire.ts";

/** What a program says of a request: the body of its answer. */
interface Said {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
  readonly for: string | null;
  readonly proto: string | null;
  readonly real: string | null;
}

const WSGI = `
import json, sys
from wsgiref.simple_server import make_server, WSGIRequestHandler
class Quiet(WSGIRequestHandler):
    def log_message(self, *arguments): pass
def app(environ, start):
    length = int(environ.get("CONTENT_LENGTH") or 0)
    said = {"method": environ["REQUEST_METHOD"], "path": environ["PATH_INFO"], "query": environ["QUERY_STRING"],
            "body": environ["wsgi.input"].read(length).decode(), "for": environ.get("HTTP_X_FORWARDED_FOR"),
            "proto": environ.get("HTTP_X_FORWARDED_PROTO"), "real": environ.get("HTTP_X_REAL_IP")}
    here = "http://" + environ["HTTP_HOST"]
    start("302 Moved to", [("Content-Type", "application/json"), ("Location", here + "/next?a=1"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")])
    return [json.dumps(said).encode()]
make_server("127.0.0.1", int(sys.argv[1]), app, handler_class=Quiet).serve_forever()
`;

const PHP = `<?php
header("Content-Type: application/json");
header("Location: http://" . $_SERVER["HTTP_HOST"] . "/next?a=1", true, 302);
setcookie("a", "1");
setcookie("b", "2");
echo json_encode(["method" => $_SERVER["REQUEST_METHOD"], "path" => parse_url($_SERVER["REQUEST_URI"], PHP_URL_PATH),
  "query" => $_SERVER["QUERY_STRING"] ?? "", "body" => file_get_contents("php://input"),
  "for" => $_SERVER["HTTP_X_FORWARDED_FOR"] ?? null, "proto" => $_SERVER["HTTP_X_FORWARDED_PROTO"] ?? null,
  "real" => $_SERVER["HTTP_X_REAL_IP"] ?? null]);
`;

const PROGRAMS = {
  "wsgiref of Python": {
    file: "origin.py",
    code: WSGI,
    command: (file: string, port: number) => ["python3", file, `${port}`],
  },
  "the server of PHP": {
    file: "origin.php",
    code: PHP,
    command: (file: string, port: number) => ["php", "-S", `127.0.0.1:${port}`, file],
  },
} as const;

async function startProgram(name: keyof typeof PROGRAMS): Promise<string> {
  const { file, code, command } = PROGRAMS[name];
  const folder = mkdtempSync(join(tmpdir(), "tidegate-origin-"));
  writeFileSync(join(folder, file), code);
  const port = await freePort();
  const [program = "", ...options] = command(join(folder, file), port);
  const child = spawn(program, options, { stdio: "ignore" });
  onTestFinished(async () => {
    child.kill();
    if (child.exitCode === null) await once(child, "exit");
    rmSync(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await expect
    .poll(() =>
      fetch(url, { redirect: "manual" }).then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(302);
  return url;
}

const PLATFORMS = {
  async node(ORIGIN: string) {
    const gateway = await startOnNode({ ORIGIN });
    onTestFinished(() => gateway.stop());
    return gateway.url;
  },
  async workerd(ORIGIN: string) {
    const variables = { ORIGIN, STORE: "memory", RULES: generous };
    const worker = await startWorker({ variables, onLog: () => {} });
    onTestFinished(() => worker.stop());
    return worker.url;
  },
} as const;

const PAIRS = [
  ["wsgiref of Python", "node"],
  ["the server of PHP", "workerd"],
  ["wsgiref of Python", "workerd"],
  ["the server of PHP", "node"],
] as const;

test.each(IS_WHOLE ? PAIRS : PAIRS.slice(0, 2))(
  "behind the gateway, %s gets requests and gives answers as without it, on %s",
  async (program, platform) => {
    const origin = await startProgram(program);
    const gateway = await PLATFORMS[platform](origin);
    const lie = "X-Real-IP: 192.0.2.66\r\nX-Forwarded-Proto: gopher\r\nForwarded: for=192.0.2.66";
    for (const [method, body] of [
      ["GET", ""],
      ["POST", "hello"],
      ["PUT", "x".repeat(100_000)],
      ["DELETE", "gone"],
    ] as const) {
      const length = body === "" ? "" : `\r\nContent-Length: ${body.length}`;
      const text = `${method} /a%20b//c?q=%2f&r HTTP/1.1\r\nHost: {host}\r\n${lie}${length}\r\n\r\n${body}`;
      const direct = await exchange(origin, text);
      const through = await exchange(gateway, text);
      const [said, expected] = [through, direct].map(({ body: json }) => JSON.parse(json) as Said);
      expect(said).toEqual({ ...expected, for: "127.0.0.1", proto: "http", real: null });
      expect(through.line.replace("/1.1", "/1.0")).toBe(direct.line.replace("/1.1", "/1.0"));
      const valuesOf = (wanted: string) =>
        through.fields.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
      expect(valuesOf("location")).toEqual(["/next?a=1"]);
      expect(valuesOf("set-cookie")).toEqual(["a=1", "b=2"]);
    }
  },
);
