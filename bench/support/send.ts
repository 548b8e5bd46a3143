import { Agent, type IncomingMessage, request, type RequestOptions } from "node:http";

/** Keeps as many connections as are needed at once. */
const agent = new Agent({ keepAlive: true, maxFreeSockets: 4_096 });

/** Sends a request by node:http, which takes a fraction of the processor time of fetch(), and reads the answer to its end. */
export function send(url: string, options: RequestOptions = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { agent, ...options }, (response) => {
      response.once("end", () => resolve(response)).once("error", reject);
      response.resume();
    })
      .once("error", reject)
      .end();
  });
}
