/** Knows whether the usage that was told last is of the whole answer. */
export interface LastUsage {
  /** Says that the response has several documents, or may have. */
  expectMore(): void;
  /** Says that the current document has told a number. */
  tell(isOfOutput: boolean): void;
  /** Says that the current document says that the answer goes on. */
  goOn(): void;
  /** Says that the current document tells a usage without saying whether the answer has ended. */
  leaveOpen(): void;
  /** Adds a part of one of several answers. */
  addAnswer(index: number, hasEnded: boolean): void;
  /** @param hasEnded whether the document says that the answer has ended */
  endDocument(hasEnded: boolean): void;
  /** Says that no document follows. */
  end(): void;
  /** Forgets the current document, which has broken off. */
  reset(): void;
  /** @param isWhole whether all of the body was read; if it broke off, a usage is the last one only if its document says so */
  isLast(isWhole: boolean): boolean;
}

/** More answers than any API gives at once. */
const ANSWERS = 31;

/** @param isStream whether several documents are expected */
export function createLastUsage(isStream: boolean): LastUsage {
  let hasSeveral = isStream;
  let isLast = false;
  /** Whether the document of that usage says so. */
  let isSaid = false;
  /** The answers that have begun and those that have ended, as bits. */
  let begun = 0;
  let ended = 0;

  // The parts that the current document has shown so far.
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
      if (hasTold) {
        const isAnswering = (begun & ~ended) !== 0;
        const isPart = hasSeveral && hasAnswers && isAnswering;
        isLast = hasOutput && !goesOn && !(isOpen && !hasEnded) && !isPart;
        isSaid = hasEnded || (begun !== 0 && !isAnswering);
      }
      reset();
    },

    end() {
      isSaid = true;
    },

    reset,
    isLast: (isWhole) => isLast && (isSaid || isWhole || !hasSeveral),
  };
}

/** The type of an event with the whole answer, such as `response.completed` and `message-end`. */
const LAST_EVENT = /[.-](?:completed?|done|end|failed|incomplete)$/;

/** The values of `status`, `done` and the like while the answer goes on. */
const GOES_ON = ["", "in_progress", "queued", "null", "false"];

/** Whether a member says that the answer has ended, or that it goes on; `undefined` if it says neither. */
export function saysEnd(name: string, text: string): boolean | undefined {
  if (name === "type" || name === "event_type") return LAST_EVENT.test(text) || undefined;
  return !GOES_ON.includes(text);
}
