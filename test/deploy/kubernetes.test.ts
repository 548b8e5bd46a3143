import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";

import { freePort } from "../../scripts/support/free-port.ts";
import { pingRedis } from "../../scripts/support/redis-ping.ts";
import { serveAdministered } from "../docs/serve-administered.ts";
import { connect, idsOf } from "../support/cli/deployment.ts";
import { ADMIN_TOKEN } from "../support/live/live-gateway.ts";
import { ask, until } from "../support/redis-rest/harness.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- tests read what they expect
type Yaml = any;

const folder = "deploy/kubernetes";
const files = readdirSync(folder);
const resources = files.flatMap((file) =>
  parseAllDocuments(readFileSync(join(folder, file), "utf8")).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Yaml;
  }),
);
const kustomization = parse(readFileSync("deploy/kustomization.yaml", "utf8")) as Yaml;

const templates = resources.flatMap(({ spec }) => (spec?.template ? [spec.template] : []));
const containers = templates.map(({ spec }) => spec.containers[0]);
const [redis, bridge] = ["redis:", "tidegate-redis-rest:"].map((image) =>
  containers.find((container) => container.image.startsWith(image)),
);

test("no token is in the clear: each is read from a secret that git ignores", () => {
  const secrets = ["tidegate-redis", "tidegate-redis-rest"];
  for (const { env } of containers) {
    for (const { value, valueFrom } of env) {
      expect(value).toBeUndefined();
      expect(secrets).toContain(valueFrom.secretKeyRef.name);
    }
  }
  expect(resources.filter(({ kind }) => kind === "Secret")).toEqual([]);
  expect(kustomization.secretGenerator).toEqual([
    { name: "tidegate-redis", envs: ["redis.env"] },
    { name: "tidegate-redis-rest", envs: ["redis-rest.env"] },
  ]);
  for (const ignore of [".gitignore", "deploy/redis-rest.Dockerfile.dockerignore"]) {
    expect(readFileSync(ignore, "utf8").split("\n")).toContain("deploy/*.env");
  }
});

/** Runs a container's command here, with the variables that the cluster would give it. */
function start(command: readonly string[], environment: Record<string, string>) {
  const env = { ...process.env, ...environment };
  const [program, ...args] = command.map((word) =>
    word.replaceAll(/\$\((\w+)\)/g, (_, name: string) => environment[name]!),
  );
  const child = spawn(program!, args, { env, stdio: ["ignore", "ignore", "inherit"] });
  const exited = once(child, "exit").then(([code]) => code as number | null);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return exited;
}

/** Makes a gateway do all that needs Redis: decisions, live rules, lists, metrics. */
async function useGateway(variables: object) {
  const rules = (limit: number) => [
    {
      path: "/rides/*",
      partition: ["header:x-user-id"],
      policies: [{ algorithm: "sliding-window-log", name: "rides", limit, window: "1m" }],
    },
  ];
  const url = await serveAdministered(rules(1), {
    ...variables,
    PREFIX: "tg",
    CLIENT_IP: { trustedHops: 1 },
  });
  const user = { "x-user-id": crypto.randomUUID() };
  const statusOf = async () => (await fetch(`${url}/rides/7`, { headers: user })).status;
  expect([await statusOf(), await statusOf()]).toEqual([200, 429]);
  const request = { path: "/rides/7", headers: user };
  const calls: [method: string, path: string, body?: object][] = [
    ["POST", "identities/reset", request],
    ["PUT", "rules", { rules: rules(2) }],
    ["PUT", "rules/draft", { rules: rules(3) }],
    ["POST", "rules/publish", {}],
    ["POST", "rules/rollback", { to: 0 }],
    ["GET", "rules/history"],
    ["PUT", "lists/deny", { cidr: "203.0.113.0/24", for: "1h" }],
    ["DELETE", "lists/deny", { cidr: "203.0.113.0/24" }],
    ["POST", "explain", request],
    ["GET", "audit"],
    ["GET", "metrics"],
    ["GET", "stats?step=hour"],
    ["GET", "top?last=6h"],
    ["POST", "partitions/history", { request }],
  ];
  const authorization = `Bearer ${ADMIN_TOKEN}`;
  for (const [method, path, body] of calls) {
    const live = await fetch(`${url}/_tidegate/api/v1/rules`, { headers: { authorization } });
    const json = { "content-type": "application/json", "if-match": live.headers.get("etag")! };
    const response = await fetch(`${url}/_tidegate/api/v1/${path}`, {
      method,
      headers: { authorization, ...(body && json) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect([path, response.ok, text]).toEqual([path, true, text]);
  }
}

test("the commands of the containers run, their probes hold, and the bridge's user can do no more than the limiter needs", async () => {
  const passwords = { REDIS_PASSWORD: "the-limiter's", REDIS_ADMIN_PASSWORD: "the-operators'" };
  const tokens = { REDIS_REST_TOKEN: "a-token", REDIS_REST_TOKEN_PREVIOUS: "an-older-token" };
  const [redisPort, bridgePort] = [await freePort(), await freePort()];
  const here = (words: readonly string[]) =>
    words.map((word) =>
      word
        .replace("/etc/redis/redis.conf", resolve("deploy/redis.conf"))
        .replace("tidegate-redis:6379", `127.0.0.1:${redisPort}`)
        .replace("0.0.0.0", "127.0.0.1")
        .replaceAll("8079", `${bridgePort}`),
    );
  const local = ["--port", `${redisPort}`, "--bind", "127.0.0.1", "--logfile", "/dev/null"];
  void start([...redis.command!, ...here(redis.args), ...local], passwords);
  const url = `redis://:${passwords.REDIS_ADMIN_PASSWORD}@127.0.0.1:${redisPort}`;
  const answers = () =>
    pingRedis(url).then(
      () => true,
      () => false,
    );
  await until(answers, 5_000);
  await expect(pingRedis(url.replace("operators", "wrong"))).rejects.toThrow("WRONGPASS");
  const admin = connect(url);
  const [, rights] = /^ACL SETUSER limiter on >SECRET (.+)$/m.exec(
    readFileSync("docs/redis.md", "utf8"),
  )!;
  await admin.call("ACL", "SETUSER", "documented", ...rights!.split(" "));
  const rightsOf = async (user: string) => {
    const [, , , , , ...about] = (await admin.call("ACL", "GETUSER", user)) as string[];
    return about;
  };
  expect(await rightsOf("limiter")).toEqual(await rightsOf("documented"));

  const program = [process.execPath, resolve("packages/redis-rest/src/main.ts")];
  const { REDIS_PASSWORD } = passwords;
  void start([...program, ...here(bridge.args)], { REDIS_PASSWORD, ...tokens });
  const probe = () => start(here(bridge.readinessProbe.exec.command), tokens);
  await until(async () => (await probe()) === 0, 10_000);
  expect(await start(here(bridge.readinessProbe.exec.command), { REDIS_REST_TOKEN: "x" })).toBe(1);
  await admin.call("ACL", "LOG", "RESET");
  const restUrl = `http://127.0.0.1:${bridgePort}`;
  for (const token of Object.values(tokens)) {
    await useGateway({ UPSTASH_REDIS_REST_URL: restUrl, UPSTASH_REDIS_REST_TOKEN: token });
  }
  // The gateway asks whether a restart loses live rules. Without this right it does not know.
  const refused = (await admin.call("ACL", "LOG")) as readonly (readonly unknown[])[];
  expect(refused.map((entry) => entry[entry.indexOf("object") + 1])).toEqual(["config|get"]);
  const rest = { url: restUrl, token: tokens.REDIS_REST_TOKEN };
  expect(await idsOf({ rest, redisUrl: url, partitions: 3_000_000 })).toEqual([]);
  const headers = { authorization: `Bearer ${rest.token}` };
  for (const body of [
    ["SET", "of:another", "1"],
    ["EVAL", "return redis.call('GET', 'of:another')", "1", "tg:{x}"],
    ["EVAL", "return redis.call('FLUSHALL')", "1", "tg:{x}"],
    ["DBSIZE"],
  ]) {
    const refused = {
      status: 400,
      body: { error: expect.stringMatching(/NOPERM|The user executing the script can't/) },
    };
    expect(await ask(rest, { body, headers })).toMatchObject(refused);
  }
  const environment = { REDISCLI_AUTH: passwords.REDIS_ADMIN_PASSWORD };
  const [shell, option, line] = redis.readinessProbe.exec.command;
  const ready = line!.replace("redis-cli", `redis-cli -p ${redisPort}`);
  expect(await start([shell!, option!, ready], environment)).toBe(0);
  expect(await start([shell!, option!, ready], { REDISCLI_AUTH: "wrong" })).toBe(1);
});
