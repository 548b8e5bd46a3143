import type { LocalStack } from "./local-stack.ts";

/** The addresses of the local stack, and commands to try. */
export function banner({ workers, origin, bridge, token, adminToken, redis }: LocalStack): string {
  const [worker] = workers;
  const rows = [
    ...workers.map((url, i) => [i === 0 ? "worker" : `worker ${i + 1}`, url, "in workerd"]),
    ["origin", origin, "what reached it: /__counts"],
    ["bridge", bridge ?? "none", bridge ? `Upstash's REST protocol, token: ${token}` : ""],
    ["Redis", redis === undefined ? "none" : withoutPassword(redis), ""],
    ["store", redis === undefined ? "memory" : "Redis", redis === undefined ? MEMORY : ""],
  ];
  const parts = rows.map(([name = "", where = "", note = ""]) =>
    `  ${name.padEnd(10)}${where.padEnd(26)}${note}`.trimEnd(),
  );
  return `
Tidegate on this machine

${parts.join("\n")}

Try 30 requests at once: 20 pass, then 429 until the bucket refills, 10 per second

  curl -s -o /dev/null -w '%{http_code} ' -X POST -H 'x-api-key: me' '${worker}/api/rides/request?[1-30]'

A login, limited by two policies, and the way to the store

  curl -i -X POST -H 'cf-connecting-ip: 203.0.113.7' ${worker}/api/login
  curl -i ${worker}/_tidegate/health
${adminToken === undefined ? "" : commandLine(worker!, adminToken)}`;
}

function commandLine(worker: string, adminToken: string): string {
  return `
The rules, as they can be changed while it runs: the dashboard takes the token

  ${worker}/_tidegate/
  export TIDEGATE_URL=${worker} TIDEGATE_TOKEN=${adminToken}
  npm run -s tidegate -- rules pull
`;
}

const MEMORY =
  "no redis-server and no REDIS_URL: each worker counts on its own, and forgets when it stops";

function withoutPassword(url: string): string {
  const shown = new URL(url);
  if (shown.password) shown.password = "***";
  return shown.href;
}
