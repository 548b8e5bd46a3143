/** The kept characters of a name or a value. The greatest number of JavaScript has 309 digits. */
export const LONGEST = 400;

/** Receives what a scanner finds. A member of an object has a name; an item of a list has none, nor has a document. */
export interface JsonVisitor {
  /** Another document begins. Places of an earlier one that has not ended are left without a call. */
  begin(): void;
  /** Whether to look into the object or list that begins here. */
  enter(name: string | undefined, isList: boolean): boolean;
  /** The object or list that was entered last has ended. */
  leave(): void;
  /** A number, text or word in an entered place. One that is longer than `LONGEST` is cut one character after that. */
  scalar(name: string | undefined, text: string, isText: boolean): void;
}
