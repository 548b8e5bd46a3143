import { monotonicNow } from "../../runtime/time.ts";
import { sign } from "./sign-webhook.ts";
import type { WebhookSettings } from "./webhook-settings.ts";

/** Sends a message, and resolves when the receiver has taken it. Rejects if it has not, after some tries. */
export type Webhook = (message: WebhookMessage) => Promise<void>;

export interface WebhookMessage {
  /** The same for a message that is sent again. The receiver gets a digest of it. */
  readonly id: string;
  readonly body: object;
}

/** How long a try waits for the receiver's answer, in milliseconds. */
const TRY_MS = 5_000;

/** The pauses between tries, in milliseconds. With four tries that are all silent it takes 27 s: Workers keep a request for 30. */
const PAUSES_MS = [1_000, 2_000, 4_000];

/** Messages under way in an isolate. A receiver that is down while thousands are to be told costs no more memory. */
const MAX_UNDER_WAY = 20;

/**
 * Longer than all tries take, and longer than Workers keep a request after its response: a message that is under way for
 * longer was cut off with its request, and no code of it runs at its end.
 */
const LOST_MS = 60_000;

/** For tests, which must not wait. */
interface Patience {
  readonly tryMs: number;
  readonly pausesMs: readonly number[];
}

/** Sends messages as Standard Webhooks describes it: signed, with an id to tell repetitions by. */
export function createWebhook(
  { url, keys }: WebhookSettings,
  { tryMs = TRY_MS, pausesMs = PAUSES_MS }: Partial<Patience> = {},
): Webhook {
  /** When each message was begun. Requests on Workers share only plain data. */
  const underWay = new Set<{ readonly atMs: number }>();

  function dropLost(nowMs: number): void {
    for (const message of underWay) if (nowMs - message.atMs > LOST_MS) underWay.delete(message);
  }

  async function deliver({ id, body }: WebhookMessage): Promise<void> {
    const name = (await sign(keys[0]!, id)).replace(/[^A-Za-z0-9]/g, "");
    const text = JSON.stringify(body);
    let failure = await attempt(`msg_${name}`, text);
    for (const pauseMs of pausesMs) {
      if (failure === undefined) return;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      failure = await attempt(`msg_${name}`, text);
    }
    if (failure !== undefined) throw new Error(`NOTICE_URL did not take it: ${failure}`);
  }

  /** Returns why the receiver did not take it; `undefined` if it did. */
  async function attempt(id: string, text: string): Promise<string | undefined> {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const signed = keys.map((key) => sign(key, `${id}.${timestamp}.${text}`));
    const signatures = (await Promise.all(signed)).map((signature) => `v1,${signature}`);
    const aborted = new AbortController();
    const timer = setTimeout(() => aborted.abort(new Error("it gave no answer in time")), tryMs);
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          // Notices are rare, and a receiver could keep the connection for minutes.
          Connection: "close",
          "webhook-id": id,
          "webhook-timestamp": timestamp,
          "webhook-signature": signatures.join(" "),
        },
        body: text,
        // A receiver could lead the request to addresses that only the gateway reaches.
        redirect: "manual",
        signal: aborted.signal,
      });
      // The body has no reader, and it may have no end.
      await response.body?.cancel();
      return response.ok ? undefined : `it answered ${response.status}`;
    } catch (error) {
      const { message, cause } = error as Error;
      return cause instanceof Error ? cause.message : message;
    } finally {
      clearTimeout(timer);
    }
  }

  return async function send(message) {
    const begun = { atMs: monotonicNow() };
    dropLost(begun.atMs);
    if (underWay.size >= MAX_UNDER_WAY) {
      throw new Error(`${MAX_UNDER_WAY} notices are under way`);
    }
    underWay.add(begun);
    try {
      await deliver(message);
    } finally {
      underWay.delete(begun);
    }
  };
}
