/** Follows whether the usage that was told last is of the whole answer. */
export interface LastUsage {
  /** Says that the response has several documents, or may have. */
  expectMore(): void;
  /** A number of the current document was read. */
  tell(isOfOutput: boolean): void;
  /** The current document says that the answer goes on. */
  goOn(): void;
  /** An object of the current document tells a usage, and does not say that the answer has ended. */
  leaveOpen(): void;
  /** The current document has a part of one of several answers. */
  addAnswer(index: number, hasEnded: boolean): void;
  /** @param hasEnded whether the document says of itself that it is the last one */
  endDocument(hasEnded: boolean): void;
  /** A document has broken off, or none has begun. */
  reset(): void;
  isLast(): boolean;
}

/** More answers than any API gives at once. */
const ANSWERS = 31;

/** @param isStream whether several documents are expected */
export function createLastUsage(isStream: boolean): LastUsage {
  let hasSeveral = isStream;
  let isLast = false;
  /** The answers that have begun and those that have ended, as bits. */
  let begun = 0;
  let ended = 0;

  // Of the current document:
  let hasTold = false;
  let hasOutput = false;
  let goesOn = false;
  let isOpen = false;
  let hasAnswers = false;

  function reset(): void {
    hasTold = hasOutput = goesOn = isOpen = hasAnswers = false;
  }

  return {
    expectMore() {
      hasSeveral = true;
    },

    tell(isOfOutput) {
      hasTold = true;
      hasOutput ||= isOfOutput;
      // Until the document has ended.
      isLast = false;
    },

    goOn() {
      goesOn = true;
    },

    leaveOpen() {
      isOpen = true;
    },

    addAnswer(index, hasEnded) {
      const bit = 1 << Math.min(index, ANSWERS);
      begun |= bit;
      if (hasEnded) ended |= bit;
      hasAnswers = true;
    },

    endDocument(hasEnded) {
      const isAnswering = hasSeveral && hasAnswers && (begun & ~ended) !== 0;
      if (hasTold) isLast = hasOutput && !goesOn && !(isOpen && !hasEnded) && !isAnswering;
      reset();
    },

    reset,
    isLast: () => isLast,
  };
}
