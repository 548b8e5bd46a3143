import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";

import { freePort } from "../../scripts/support/free-port.ts";
import { pingRedis } from "../../scripts/support/redis-ping.ts";
import { until } from "../support/bridge/harness.ts";
import { idsOf } from "../support/doctor/deployment.ts";

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
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { readonly version: string };

const templates = resources.flatMap(({ spec }) => (spec?.template ? [spec.template] : []));
const containers = templates.map(({ spec }) => spec.containers[0]);
const [redis, bridge] = ["redis:", "tidegate-redis-rest:"].map((image) =>
  containers.find((container) => container.image.startsWith(image)),
);

test("there is everything that the two need, and kustomize applies all files", () => {
  expect(resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual([
    "Deployment tidegate-redis-rest",
    "Namespace tidegate",
    "NetworkPolicy tidegate-redis",
    "NetworkPolicy tidegate-redis-rest",
    "PodDisruptionBudget tidegate-redis-rest",
    "Service tidegate-redis",
    "Service tidegate-redis-rest",
    "StatefulSet tidegate-redis",
  ]);
  const applied = kustomization.resources.map((file: string) => file.replace("kubernetes/", ""));
  expect(applied.sort()).toEqual(files.sort());
});

test("every selector selects the pods of one template", () => {
  const labels = templates.map(({ metadata }) => metadata.labels["app"]);
  const selected = resources.flatMap(({ kind, spec }) => {
    const { selector, podSelector } = spec ?? {};
    const found = podSelector?.matchLabels ?? selector?.["matchLabels"] ?? selector;
    return kind === "Namespace" ? [] : [(found as { app: string }).app];
  });
  expect(selected).toHaveLength(7);
  for (const app of selected) expect(labels).toContain(app);
});

test("maxmemory leaves a quarter of the memory limit, and is the recommended file's", () => {
  const conf = readFileSync("deploy/redis.conf", "utf8");
  const maxmemory = Number(/^maxmemory (\d+)mb$/m.exec(conf)![1]);
  const limit = Number(/^(\d+)Gi$/.exec(redis.resources.limits.memory)![1]) * 1024;
  expect(maxmemory / limit).toBeLessThanOrEqual(0.75);
  expect(kustomization.configMapGenerator).toEqual([
    { name: "tidegate-redis", files: ["redis.conf"] },
  ]);
});

test("images are pinned, and the bridge's is this version's", () => {
  for (const { image } of containers) expect(image).toMatch(/^[\w-]+:\d+\.\d+\.\d+[\w-]*$/);
  expect(bridge.image).toBe(`tidegate-redis-rest:${manifest.version}`);
  expect(kustomization.images).toMatchObject([
    { name: "tidegate-redis-rest", newTag: manifest.version },
  ]);
  const dockerfile = readFileSync("deploy/redis-rest.Dockerfile", "utf8");
  expect(dockerfile).toContain(`tidegate-redis-rest:${manifest.version} `);
  const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  expect(new Set(bases).size).toBe(1);
  expect(bases[0]).toMatch(/:\d+\.\d+\.\d+/);
});

test("no token is in the clear: each is read from a secret that git ignores", () => {
  const secret = "tidegate-redis";
  for (const { env } of containers) {
    const named = env.filter(({ name }: { readonly name: string }) =>
      /PASSWORD|TOKEN|AUTH/.test(name),
    );
    expect(named).toHaveLength(2);
    for (const { value, valueFrom } of named) {
      expect(value).toBeUndefined();
      expect(valueFrom?.secretKeyRef).toMatchObject({ name: secret });
    }
  }
  expect(resources.filter(({ kind }) => kind === "Secret")).toEqual([]);
  expect(kustomization.secretGenerator).toEqual([{ name: secret, envs: ["secret.env"] }]);
  for (const ignore of [".gitignore", "deploy/redis-rest.Dockerfile.dockerignore"]) {
    expect(readFileSync(ignore, "utf8").split("\n")).toContain("deploy/secret.env");
  }
});

test("no container is root, writes to its image, or talks to the API server", () => {
  for (const { spec } of templates) {
    expect(spec.automountServiceAccountToken).toBe(false);
    expect(spec.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(spec.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
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

test("the commands of the containers run, their probes hold, and the doctor finds nothing", async () => {
  const secrets = { REDIS_PASSWORD: "a-password", REDIS_REST_TOKEN: "a-token" };
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
  void start([...redis.command!, ...here(redis.args), ...local], secrets);
  const url = `redis://:${secrets.REDIS_PASSWORD}@127.0.0.1:${redisPort}`;
  const answers = () =>
    pingRedis(url).then(
      () => true,
      () => false,
    );
  await until(answers, 5_000);
  await expect(pingRedis(url.replace("a-password", "wrong"))).rejects.toThrow("WRONGPASS");

  const program = [process.execPath, resolve("src/node/bridge/main.ts")];
  void start([...program, ...here(bridge.args)], secrets);
  const probe = () => start(here(bridge.readinessProbe.exec.command), secrets);
  await until(async () => (await probe()) === 0, 10_000);
  expect(await start(here(bridge.readinessProbe.exec.command), { REDIS_REST_TOKEN: "x" })).toBe(1);
  const rest = { url: `http://127.0.0.1:${bridgePort}`, token: secrets.REDIS_REST_TOKEN };
  expect(await idsOf({ rest, redisUrl: url, partitions: 3_000_000 })).toEqual([]);

  const environment = { REDISCLI_AUTH: secrets.REDIS_PASSWORD };
  const [shell, option, line] = redis.readinessProbe.exec.command;
  const ready = line!.replace("redis-cli", `redis-cli -p ${redisPort}`);
  expect(await start([shell!, option!, ready], environment)).toBe(0);
  expect(await start([shell!, option!, ready], { REDISCLI_AUTH: "wrong" })).toBe(1);
});
