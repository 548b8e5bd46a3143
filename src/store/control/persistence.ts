import { StoreError } from "../../options/errors.ts";
import type { RedisAddress } from "../redis/client.ts";
import { dialectAt } from "../redis/dialect.ts";
import type { SendCommand } from "../redis/rest.ts";
import type { Persistence } from "./control-store.ts";

/**
 * Asks a Redis; a host that keeps the data by itself is not asked, and one that refuses to say is unknown. Rejects if there is no
 * answer.
 */
export async function persistenceOf(
  { url, dialect }: RedisAddress,
  send: SendCommand,
): Promise<Persistence> {
  if (dialectAt(url, dialect).firstLine !== "") return "managed";
  const info = String(await send(["INFO", "persistence"]).catch(refusal));
  if (/^aof_enabled:1\r?$/m.test(info)) return "aof";
  const isKnown = /^aof_enabled:0\r?$/m.test(info);
  const saves = await send(["CONFIG", "GET", "save"]).catch(refusal);
  if (!isKnown || !Array.isArray(saves) || saves[0] !== "save") return "unknown";
  return saves[1] === "" ? "none" : "rdb";
}

const NO_ANSWER: readonly unknown[] = ["ERR_STORE_TIMEOUT", "ERR_STORE_UNREACHABLE"];

/** A refusal is an answer: asking again would not change it. */
function refusal(error: unknown): "" {
  if (error instanceof StoreError && !NO_ANSWER.includes(error.code)) return "";
  throw error;
}
