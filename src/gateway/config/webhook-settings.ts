import type { Faults } from "../../options/faults.ts";
import type { Environment } from "../../runtime/environment.ts";
import {
  NO_NOTICE_SECRET,
  NO_NOTICE_URL,
  NOTICE_SECRET,
  NOTICE_URL,
} from "../rules/variable-messages.ts";
import { keyIn } from "./sign-webhook.ts";
import { tokensIn } from "./tokens.ts";

/** The address that receives notices. */
export interface WebhookSettings {
  readonly url: string;
  /** Two while one is replaced: messages are signed with each. */
  readonly keys: readonly Uint8Array<ArrayBuffer>[];
}

/** One is in use, the other about to be. */
const MAX_KEYS = 2;

const ADDRESS = /^https?:\/\/[^\s/?#@\\]+(?:[/?][^\s#\\]*)?$/;

/** Checks where notices are sent; `undefined` for nowhere, and after a fault. The values may be secrets, and appear in no fault. */
export function readWebhookSettings(
  { NOTICE_URL: url, NOTICE_SECRET: secret }: Environment,
  faults: Faults,
): WebhookSettings | undefined {
  // Some platforms have an empty text for a variable that is not set.
  const [hasUrl, hasSecret] = [url, secret].map((value) => value !== undefined && value !== "");
  const before = faults.list.length;
  const keys = typeof secret === "string" ? tokensIn(secret).map(keyIn) : [];
  const sound = keys.filter((key) => key !== undefined);
  if (hasUrl && !(typeof url === "string" && ADDRESS.test(url) && URL.canParse(url))) {
    faults.add("NOTICE_URL", "(hidden)", NOTICE_URL);
  }
  if (hasUrl && !hasSecret) faults.add("NOTICE_SECRET", undefined, NO_NOTICE_SECRET);
  if (hasSecret && !hasUrl) faults.add("NOTICE_URL", undefined, NO_NOTICE_URL);
  if (hasSecret && (sound.length === 0 || sound.length < keys.length || keys.length > MAX_KEYS)) {
    faults.add("NOTICE_SECRET", "(hidden)", NOTICE_SECRET);
  }
  if (!hasUrl || faults.list.length > before) return undefined;
  return { url: url as string, keys: sound };
}
