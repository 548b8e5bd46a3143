import { type JsonVisitor, LONGEST } from "./json-visitor.ts";
import { createLastUsage } from "./last-usage.ts";
import { createTokenCounters, type CountedTokens } from "./token-counters.ts";
import type { Counted } from "./token-counts.ts";
import { DOCUMENT_PLACE, type Place, UNKNOWN_PLACE } from "./usage-places.ts";
import { ITERATIONS } from "./usage-shapes.ts";
import type { Usage } from "./usage.ts";

/** Finds the usage of a response in its documents. */
export interface UsageReader extends JsonVisitor {
  /**
   * The usage, at the end of the body; `undefined` if it told no number.
   *
   * @param isWhole whether all of the body was read
   */
  usage(isWhole: boolean): Usage | undefined;
}

/** An object or list that has been entered. */
interface Frame {
  readonly place: Place;
  readonly isList: boolean;
  readonly isDetails: boolean;
  /** Whether it has told a number. */
  hasTold: boolean;
  /** Whether it says that the answer has ended. */
  hasEnded: boolean;
  /** Which of several answers it is a part of. */
  index: number;
  type: string;
}

/** Deeper than any known usage. */
const DEEPEST = 16;

/** Names of what tells the parts of a number, such as Gemini's `promptTokensDetails` and `input_tokens_by_modality`. */
const BREAKDOWN = /(?:details|modality)$/i;

const TOKENS = /tokens?(?:_?count)?$/i;

/** The kept beginning of a number that is longer than `LONGEST`. */
const DIGITS = /^\d[\d.e+-]*$/i;

/** A usage of a whole answer has one of these. */
const OF_OUTPUT: readonly Counted[] = ["output", "thoughts", "total"];

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** The type of an event with the whole answer, such as `response.completed` and `message-end`. */
const LAST_EVENT = /[.-](?:completed?|done|end|failed|incomplete)$/;

/** The values of `status`, `done` and the like while the answer goes on. */
const GOES_ON = ["", "in_progress", "queued", "null", "false"];

/** @param isStream whether several documents are expected, of which the first may tell a usage that grows */
export function createUsageReader(isStream: boolean): UsageReader {
  const counters = createTokenCounters();
  const last = createLastUsage(isStream);
  let hasDocument = false;
  let frames: Frame[] = [];
  /** The numbers of an item of `iterations`, until its type is known. */
  let iteration: Record<string, CountedTokens> | undefined;

  function push(place: Place, isList: boolean, isDetails: boolean): true {
    const told = { hasTold: false, hasEnded: false, index: 0, type: "" };
    frames.push({ place, isList, isDetails, ...told });
    if (!isList && place.path.endsWith(ITERATIONS)) iteration = {};
    return true;
  }

  function passInDoubt(isUsage: boolean): false {
    if (isUsage) counters.doubt();
    return false;
  }

  function enterMember({ place, isDetails }: Frame, name: string, isList: boolean): boolean {
    const member = place.members.get(name);
    const isBreakdown = isDetails || BREAKDOWN.test(name);
    if (typeof member === "object") {
      return member.isList || !isList
        ? push(member, isList, isBreakdown)
        : passInDoubt(member.isUsage);
    }
    if (!place.isUsage || (isList && isBreakdown)) return false;
    // The names of their parts may say nothing.
    if (isTokens(name)) counters.doubt();
    if (member !== undefined || frames.length === DEEPEST) return passInDoubt(true);
    return push(UNKNOWN_PLACE, isList, isBreakdown);
  }

  function enterItem({ place, isDetails }: Frame, isList: boolean): boolean {
    return isList ? passInDoubt(place.isUsage) : push(place, false, isDetails);
  }

  function count(frame: Frame, name: string, counted: Counted, text: string, isText: boolean) {
    if (text === "null" && !isText) return;
    const number = numberIn(text, isText);
    // A number in quotes is a text, but some program may read it as a number.
    if (isText || number === undefined || number > Number.MAX_SAFE_INTEGER) counters.doubt();
    if (number === undefined) return;
    const tokens = Math.min(number, Number.MAX_SAFE_INTEGER);
    if (!iteration && (counted === "part" || counted === "detail")) counters.addPart(tokens);
    if (counted === "part") return;
    frame.hasTold = true;
    last.tell(OF_OUTPUT.includes(counted));
    const isNamed = counted !== "unknown" && counted !== "detail";
    const path = isNamed ? frame.place.path + name : counted;
    if (!iteration) counters.add(path, counted, tokens, !isNamed || path.includes("[]"));
    else iteration[path] = [counted, tokens + (isNamed ? 0 : (iteration[path]?.[1] ?? 0))];
  }

  function readEnd(frame: Frame, name: string, text: string): void {
    if (name === "type" || name === "event_type") frame.hasEnded ||= LAST_EVENT.test(text);
    else if (!GOES_ON.includes(text)) frame.hasEnded = true;
    else if (isDocument(frame)) last.goOn();
  }

  /** Ends an object that may say that the answer has ended. */
  function endAnswer({ place, index, hasTold, hasEnded }: Frame): void {
    if (!place.isList) {
      if (hasEnded) frames.find(isDocument)!.hasEnded = true;
      else if (hasTold) last.leaveOpen();
      return;
    }
    last.addAnswer(index, hasEnded);
    // Each answer has numbers of its own, and the document may not have all.
    if (hasTold && index > 0) counters.doubt();
  }

  function endIteration(type: string): void {
    if (iteration) counters.addIteration(type, iteration);
    iteration = undefined;
  }

  return {
    begin() {
      endIteration("");
      counters.endDocument();
      last.reset();
      frames = [];
      if (hasDocument) last.expectMore();
      hasDocument = true;
    },

    enter(name, isList) {
      const frame = frames.at(-1);
      if (frame) return frame.isList ? enterItem(frame, isList) : enterMember(frame, name!, isList);
      if (isList) last.expectMore();
      return push(DOCUMENT_PLACE, isList, false);
    },

    scalar(name, text, isText) {
      const frame = frames.at(-1)!;
      const { place } = frame;
      if (frame.isList) {
        // The last line of many streams is `[DONE]`.
        if (place === DOCUMENT_PLACE && text === "DONE") last.end();
        passInDoubt(place.isUsage && place.isList);
        return;
      }
      if (name === "index" && /^\d+$/.test(text)) frame.index = Number(text);
      if (name === "type") frame.type = text;
      if (place.ends.has(name!)) readEnd(frame, name!, text);
      const member = place.members.get(name!);
      if (typeof member === "object") passInDoubt(member.isUsage && (isText || text !== "null"));
      else if (member !== undefined) count(frame, name!, member, text, isText);
      else if (place.isUsage && isTokens(name!)) {
        count(frame, name!, frame.isDetails ? "detail" : "unknown", text, isText);
      }
    },

    leave() {
      const frame = frames.pop()!;
      const { place, isList, hasTold, hasEnded, type } = frame;
      const parent = frames.at(-1);
      if (parent && hasTold) parent.hasTold = true;
      if (isList) return;
      if (place.path.endsWith(ITERATIONS)) endIteration(type);
      if (isDocument(frame)) {
        counters.endDocument();
        last.endDocument(hasEnded);
      } else if (place.ends.size > 0) endAnswer(frame);
    },

    usage(isWhole) {
      endIteration("");
      return counters.usage(last.isLast(isWhole));
    },
  };
}

/** The number that a text spells, rounded up; `undefined` if it spells no number from 0. */
function numberIn(text: string, isText: boolean): number | undefined {
  if (text.length > LONGEST) return !isText && DIGITS.test(text) ? Infinity : undefined;
  const number = NUMBER.test(text) ? Number(text) : -1;
  // Adding 0 turns -0 into 0.
  return number < 0 ? undefined : Math.ceil(number) + 0;
}

const isDocument = ({ place, isList }: Frame) => place === DOCUMENT_PLACE && !isList;

/** Whether a number with this name may be tokens. */
const isTokens = (name: string) => name.length > LONGEST || TOKENS.test(name);
