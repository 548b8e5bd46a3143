import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** Starts a file as a thread of its own. */
export function startThread(file: URL, workerData: object): Worker {
  return new Worker(file, { workerData });
}

/** @throws an error that ends the thread */
export async function nextMessage<Message>(thread: Worker): Promise<Message> {
  return ((await once(thread, "message")) as [Message])[0];
}

/** Sends a message to a thread that answers each with one. */
export function askThread<Answer>(thread: Worker, message: unknown): Promise<Answer> {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  thread.postMessage(message);
  return nextMessage(thread);
}
