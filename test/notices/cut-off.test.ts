import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { bundle } from "../../bench/support/bundle.ts";
import { runWorker } from "../../bench/support/run-worker.ts";
import { openReceiver, type Receiver, SECRET } from "./receiver.ts";

let receiver: Receiver;
beforeEach(async () => {
  receiver = await openReceiver();
});
afterEach(() => receiver.stop());

/** A worker that starts a message and does not wait for it, so that workerd cuts it off with the response. */
const WORKER = `
  import { keyIn } from "./src/gateway/config/sign-webhook.ts";
  import { createWebhook } from "./src/gateway/config/webhook.ts";

  const real = performance.now.bind(performance);
  let aheadMs = 0;
  performance.now = () => real() + aheadMs;
  let send;
  let sent = 0;
  export default {
    async fetch(request, { URL: url, SECRET }) {
      send ??= createWebhook({ url, keys: [keyIn(SECRET)] });
      const asked = new globalThis.URL(request.url);
      aheadMs += Number(asked.searchParams.get("later") ?? 0);
      const message = send({ id: String(sent++), body: {} });
      if (asked.pathname === "/wait") return new Response(await message.then(() => "taken", String));
      message.catch(() => {});
      // Until it has reached the receiver.
      await scheduler.wait(100);
      return new Response("cut off");
    },
  };`;

test("messages whose requests workerd has cut off hold up others for a minute, and no longer", async () => {
  receiver.answer = () => {};
  const worker = await runWorker(await bundle(WORKER), { URL: receiver.url, SECRET });
  const ask = async (path: string) => (await fetch(worker.url + path)).text();
  try {
    for (let i = 0; i < 20; i++) expect(await ask("/")).toBe("cut off");
    await vi.waitFor(() => expect(receiver.received).toHaveLength(20));
    receiver.answer = (response) => response.writeHead(204).end();
    expect(await ask("/wait?later=50000")).toContain("20 notices are under way");
    expect(await ask("/wait?later=11000")).toBe("taken");
  } finally {
    await worker.stop();
  }
});
