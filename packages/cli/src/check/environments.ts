import type { Environment } from "../doctor/checks/environments.ts";
import { gatewayVariables, parseFile } from "./check-text.ts";

/** The prefixes under which the environments of a wrangler file count in Redis; none of a file that cannot be read. */
export function environmentsIn(file: string, text: string): readonly Environment[] {
  const { value, faults } = parseFile(file, text);
  if (faults.length > 0) return [];
  return gatewayVariables(file, value).flatMap(({ path, vars }) => {
    const { PREFIX = "tg", STORE = "redis" } = vars;
    const redisUrl = vars["UPSTASH_REDIS_REST_URL"] ?? vars["KV_REST_API_URL"];
    if (STORE !== "redis" || typeof PREFIX !== "string") return [];
    return [
      {
        name: path,
        prefix: PREFIX,
        redisUrl: typeof redisUrl === "string" ? redisUrl : undefined,
      },
    ];
  });
}
