import type { RedisAddress } from "../../redis/client.ts";
import { dialectAt } from "../../redis/dialect.ts";
import type { SendCommand } from "../../redis/rest.ts";
import type { Persistence } from "../control-store.ts";

/** Asks a Redis; a host that keeps the data by itself is not asked. */
export async function persistenceOf(
  { url, dialect }: RedisAddress,
  send: SendCommand,
): Promise<Persistence> {
  if (dialectAt(url, dialect).firstLine !== "") return "managed";
  const info = await textOf(send, ["INFO", "persistence"]);
  if (/^aof_enabled:1\r?$/m.test(info)) return "aof";
  const isKnown = /^aof_enabled:0\r?$/m.test(info);
  const saves = await send(["CONFIG", "GET", "save"]).catch(() => undefined);
  if (!isKnown || !Array.isArray(saves) || saves[0] !== "save") return "unknown";
  return saves[1] === "" ? "none" : "rdb";
}

async function textOf(send: SendCommand, command: readonly string[]): Promise<string> {
  const answer = await send(command).catch(() => "");
  return typeof answer === "string" ? answer : "";
}
