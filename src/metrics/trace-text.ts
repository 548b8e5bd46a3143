/*
 * The requests of a partition as a line: policy, partition and limit, and then for each request the milliseconds since the
 * one before, a letter for the outcome, and its cost unless that is 1. Numbers but costs are in base 36.
 */

/** The answer of a policy to a request, and whether another one denied it. */
export interface TracedRequest {
  /** Since 1970; in a line, since the request before. */
  readonly ms: number;
  readonly cost: number;
  readonly hasRoom: boolean;
  /** Denied by another policy: no units were taken. */
  readonly isDenied: boolean;
}

/** Requests of one partition under one policy and limit. */
export interface TracedLine {
  readonly policy: string;
  readonly partition: string;
  readonly limit: number;
  readonly requests: readonly TracedRequest[];
}

export function numberText(number: number): string {
  return number.toString(36);
}

export function lineStart(policy: string, partition: number, limit: number): string {
  return `${policy} ${numberText(partition)} ${numberText(limit)}`;
}

export function eventText({ ms, cost, hasRoom, isDenied }: TracedRequest): string {
  const letters = hasRoom ? "AO" : "DB";
  return ` ${numberText(ms)}${letters[isDenied ? 1 : 0]}${cost === 1 ? "" : cost}`;
}

const EVENT = /^(-?[0-9a-z]+)([ADOB])(\d*)$/;

/** Reads a line; `undefined` if it is none. */
export function readLine(text: string): TracedLine | undefined {
  const [policy, partition, limit, ...events] = text.split(" ");
  if (!policy || !partition || !limit || events.length === 0) return undefined;
  const requests: TracedRequest[] = [];
  let ms = 0;
  for (const event of events) {
    const [, since, letter, cost] = EVENT.exec(event) ?? [];
    if (since === undefined) return undefined;
    ms += Number.parseInt(since, 36);
    requests.push({
      ms,
      cost: cost === "" ? 1 : Number(cost),
      hasRoom: letter === "A" || letter === "O",
      isDenied: letter === "O" || letter === "B",
    });
  }
  return { policy, partition, limit: Number.parseInt(limit, 36), requests };
}
