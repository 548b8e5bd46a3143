import { Live } from "../answers.ts";
import type { Ask } from "../connection.ts";

/** The number of the newest version, which a write replaces: the live one, or one that is tried over it. */
export async function newestVersion(ask: Ask): Promise<number> {
  const { value } = await ask({ method: "GET", path: "/rules" }, Live);
  return value.trial?.version ?? value.version;
}
