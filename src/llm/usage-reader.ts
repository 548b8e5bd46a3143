import { type JsonVisitor, LONGEST } from "./json-visitor.ts";
import { createLastUsage, saysEnd } from "./last-usage.ts";
import { createPricedParts } from "./priced-parts.ts";
import { numberIn } from "./read-number.ts";
import { createTokenCounters, type CountedTokens } from "./token-counters.ts";
import type { Counted } from "./token-counts.ts";
import { type Frame, isDocument, keepMember, newFrame, pathOf } from "./usage-frame.ts";
import { DOCUMENT_PLACE, type Place, UNKNOWN_PLACE } from "./usage-places.ts";
import { ITERATION_TYPES, ITERATIONS, TOKENS_A_SECOND } from "./usage-shapes.ts";
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

/** Deeper than any known usage. */
const DEEPEST = 16;

/** Names of what tells the parts of a number, such as Gemini's `promptTokensDetails` and `input_tokens_by_modality`. */
const BREAKDOWN = /(?:details|modality)$/i;

const TOKENS = /tokens?(?:_?count)?$/i;

/** A usage of a whole answer has one of these. */
const OF_OUTPUT: readonly Counted[] = ["output", "thoughts", "total", "seconds"];

/**
 * @param isStream whether several documents are expected, of which the first may tell a usage that grows
 * @param onUnknown is told the path of what is unknown in a usage, or cannot be read
 */
export function createUsageReader(
  isStream: boolean,
  onUnknown: (path: string) => void,
): UsageReader {
  const counters = createTokenCounters();
  const last = createLastUsage(isStream);
  const priced = createPricedParts(counters.doubt);
  let hasDocument = false;
  let frames: Frame[] = [];
  /** The numbers of an item of `iterations`, until its type is known. */
  let iteration: Record<string, CountedTokens> | undefined;

  /** A number in a usage whose name says nothing. */
  let unknownNumber: string | undefined;

  function push(name: string | undefined, place: Place, isList: boolean, isDetails: boolean): true {
    frames.push(newFrame(name, place, isList, isDetails));
    if (!isList && place.path.endsWith(ITERATIONS)) iteration = {};
    return true;
  }

  function doubt(name: string | undefined): void {
    counters.doubt();
    onUnknown(pathOf(frames, name));
  }

  function passInDoubt(isUsage: boolean, name?: string): false {
    if (isUsage) doubt(name);
    return false;
  }

  function enterMember({ place, isDetails }: Frame, name: string, isList: boolean): boolean {
    const member = place.members.get(name);
    const isBreakdown = isDetails || BREAKDOWN.test(name);
    if (typeof member === "object") {
      return member.isList || !isList
        ? push(name, member, isList, isBreakdown)
        : passInDoubt(member.isUsage, name);
    }
    const isKnown = member !== undefined || (place.isUsage && place.priced.has(name));
    if (isKnown) return passInDoubt(true, name);
    if (!place.isUsage || (isList && isBreakdown)) return false;
    // The names of their parts may say nothing.
    if (isTokens(name)) doubt(name);
    if (frames.length === DEEPEST) return passInDoubt(true, name);
    return push(name, UNKNOWN_PLACE, isList, isBreakdown);
  }

  function enterItem({ place, isDetails }: Frame, isList: boolean): boolean {
    return isList ? passInDoubt(place.isUsage) : push(undefined, place, false, isDetails);
  }

  function count(frame: Frame, name: string, counted: Counted, text: string, isText: boolean) {
    if (text === "null" && !isText) return;
    const number = numberIn(text, isText, counted === "seconds" ? TOKENS_A_SECOND : 1);
    // A number in quotes is a text, but some program may read it as a number.
    if (isText || number === undefined || number > Number.MAX_SAFE_INTEGER) doubt(name);
    if (number === undefined) return;
    const tokens = Math.min(number, Number.MAX_SAFE_INTEGER);
    if (!iteration && (counted === "part" || counted === "detail")) counters.addPart(tokens);
    if (counted === "part") return;
    if (counted === "unknown" && tokens > 0) onUnknown(pathOf(frames, name));
    frame.hasTold = true;
    last.tell(OF_OUTPUT.includes(counted));
    const isNamed = counted !== "unknown" && counted !== "detail";
    const path = isNamed ? frame.place.path + name : counted;
    if (!iteration) return counters.add(path, counted, tokens, !isNamed || path.includes("[]"));
    const before = iteration[path]?.[1] ?? 0;
    if (isNamed && tokens < before) counters.doubt();
    iteration[path] = [counted, isNamed ? Math.max(tokens, before) : tokens + before];
  }

  function readEnd(frame: Frame, name: string, text: string): void {
    const hasEnded = saysEnd(name, text);
    frame.hasEnded ||= hasEnded === true;
    if (hasEnded === false && isDocument(frame)) last.goOn();
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
      priced.endDocument();
      last.reset();
      frames = [];
      if (hasDocument) last.expectMore();
      hasDocument = true;
    },

    enter(name, isList) {
      const frame = frames.at(-1);
      if (frame) return frame.isList ? enterItem(frame, isList) : enterMember(frame, name!, isList);
      if (isList) last.expectMore();
      return push(undefined, DOCUMENT_PLACE, isList, false);
    },

    scalar(name, text, isText) {
      const frame = frames.at(-1)!;
      const { place } = frame;
      if (frame.isList) {
        // The last line of many streams is `[DONE]`.
        if (place === DOCUMENT_PLACE && text === "DONE") last.end();
        priced.addItem(place, text, isText);
        passInDoubt(place.isUsage && place.isList);
        return;
      }
      keepMember(frame, name!, text, isText);
      if (place.ends.has(name!)) readEnd(frame, name!, text);
      const member = place.members.get(name!);
      if (typeof member === "object") {
        const isNone = text === "null" && !isText;
        passInDoubt(member.isUsage && !isNone && !place.priced.has(name!), name);
      } else if (member !== undefined) count(frame, name!, member, text, isText);
      else if (place.isUsage && isTokens(name!)) {
        count(frame, name!, frame.isDetails ? "detail" : "unknown", text, isText);
      } else if (place.isUsage && !isText && numberIn(text, false) !== undefined) {
        unknownNumber ??= pathOf(frames, name);
      }
    },

    leave() {
      const frame = frames.pop()!;
      const { place, isList, hasTold, hasEnded, type } = frame;
      const parent = frames.at(-1);
      if (parent && hasTold) parent.hasTold = true;
      if (isList) return;
      priced.endObject(place, frame.members);
      if (place.path.endsWith(ITERATIONS)) {
        if (!Object.hasOwn(ITERATION_TYPES, type)) onUnknown(pathOf(frames, "type"));
        endIteration(type);
      }
      if (isDocument(frame)) {
        counters.endDocument();
        priced.endDocument();
        last.endDocument(hasEnded);
      } else if (place.ends.size > 0) endAnswer(frame);
    },

    usage(isWhole) {
      endIteration("");
      const usage = counters.usage(last.isLast(isWhole));
      if (!usage && unknownNumber !== undefined) onUnknown(unknownNumber);
      return usage && { ...usage, ...priced.parts() };
    },
  };
}

/** Whether a number with this name may be tokens. */
const isTokens = (name: string) => name.length > LONGEST || TOKENS.test(name);
