import * as z from "zod/mini";

import { readAtMost } from "../../runtime/read-at-most.ts";
import { isShallow } from "../depth.ts";
import { ProblemDocument } from "./answers.ts";
import { NoAnswerError, RefusedError } from "./errors.ts";

const API = "/_tidegate/api/v1";

/** A document has at most 900,000 bytes, and an answer at most a few of them. */
export const MAX_ANSWER_BYTES = 8_000_000;

export interface Connection {
  /** The gateway's origin. */
  readonly url: string;
  readonly token: string;
  readonly timeoutMs: number;
}

export interface ApiCall {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** Below the API's root, with its query. */
  readonly path: string;
  readonly body?: unknown;
  /** The version that a change is based on. */
  readonly ifMatch?: number;
}

/** An answer as the gateway wrote it, and as the program reads it. */
export interface ApiAnswer<Value> {
  readonly raw: unknown;
  readonly value: Value;
}

/** The admin API of one gateway. */
export class ApiClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * @throws RefusedError with the problem document if the gateway refuses
   * @throws NoAnswerError if there is no answer, or none of an admin API
   */
  async ask<Schema extends z.ZodMiniType>(
    call: ApiCall,
    schema: Schema,
  ): Promise<ApiAnswer<z.output<Schema>>> {
    const { url } = this.#connection;
    const { response, text } = await this.#exchange(call);
    if (response.status >= 300 && response.status < 400) {
      const where = withoutToken(
        response.headers.get("location") ?? "nowhere",
        this.#connection.token,
      );
      throw new NoAnswerError(
        `${url} redirects to ${where}. The token is not sent there: if that is your gateway, give it as --url.`,
      );
    }
    const raw = readBody(response, text);
    if (!response.ok) throw refusal(response.status, raw, url);
    if (raw instanceof SyntaxError) throw new NoAnswerError(strange(response, url));
    const { success, data, error } = z.safeParse(schema, raw);
    if (success) return { raw, value: data };
    const at = error.issues[0]?.path.join(".") || "the whole";
    throw new NoAnswerError(
      `${url} answered something else than this program expects (${at}). Are both of one version?`,
    );
  }

  async #exchange({ method, path, body, ifMatch }: ApiCall) {
    const { url, token, timeoutMs } = this.#connection;
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(`${url}${API}${path}`, {
        method,
        headers: {
          accept: "application/json",
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(ifMatch !== undefined && { "if-match": `"${ifMatch}"` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // Another host must not get the token.
        redirect: "manual",
        signal,
      });
      const answered = await readAtMost(response.body, MAX_ANSWER_BYTES);
      if (answered === undefined) {
        throw new NoAnswerError(
          `The answer has more than ${MAX_ANSWER_BYTES} bytes, as none of a gateway has.`,
        );
      }
      return { response, text: withoutToken(new TextDecoder().decode(answered), token) };
    } catch (error) {
      if (error instanceof NoAnswerError) throw error;
      if (signal.aborted)
        throw new NoAnswerError(`${url} did not answer in ${timeoutMs / 1000} s.`);
      throw new NoAnswerError(`No answer from ${url}: ${causeOf(error)}.`);
    }
  }
}

/** A gateway or a proxy may repeat the token of a request, which must not end up in a build log. */
function withoutToken(text: string, token: string): string {
  const inJson = JSON.stringify(token).slice(1, -1);
  return text.replaceAll(token, "(token)").replaceAll(inJson, "(token)");
}

const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;

/** The JSON of an answer; an error where it is not JSON, and `undefined` where it is empty on purpose. */
function readBody(response: Response, text: string): unknown {
  if (response.status === 204 && text === "") return undefined;
  const type = response.headers.get("content-type") ?? "";
  if (!JSON_TYPE.test(type)) return new SyntaxError("not JSON");
  try {
    const value = JSON.parse(text) as unknown;
    return isShallow(value) ? value : new SyntaxError("nested too deep");
  } catch (error) {
    return error;
  }
}

function refusal(status: number, raw: unknown, url: string): Error {
  const { success, data } = z.safeParse(ProblemDocument, raw);
  if (success) return new RefusedError({ ...data, status });
  return new NoAnswerError(
    `${url} answered with the status ${status}, and not as a gateway's admin API does. Is it the address of the gateway?`,
  );
}

function strange(response: Response, url: string): string {
  const type = response.headers.get("content-type") ?? "no type";
  const what = JSON_TYPE.test(type)
    ? "JSON that is broken or nested too deep"
    : `${type} instead of JSON`;
  return `${url} answered with ${what}. Is it the address of a gateway with an admin API?`;
}

/** Why a call failed: the network's reason is the cause of the error that `fetch` throws. */
function causeOf(error: unknown): string {
  const { message, cause } = error as Error;
  const { code, message: reason } = Object(cause) as { code?: unknown; message?: unknown };
  return String(reason || code || message);
}
