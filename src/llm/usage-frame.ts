import type { Member } from "./priced-parts.ts";
import { DOCUMENT_PLACE, type Place } from "./usage-places.ts";

/** An object or list that has been entered. */
export interface Frame {
  /** Its name in the object that holds it; an item of a list has none. */
  readonly name: string | undefined;
  readonly place: Place;
  readonly isList: boolean;
  readonly isDetails: boolean;
  hasTold: boolean;
  /** Whether it says that the answer has ended. */
  hasEnded: boolean;
  /** The number of the answer that it belongs to, of several. */
  index: number;
  type: string;
  /** Those of a place that decides a price. */
  readonly members: Member[];
}

/** More members than an object has that decides a price. */
const MOST_MEMBERS = 60;

export function newFrame(
  name: string | undefined,
  place: Place,
  isList: boolean,
  isDetails: boolean,
): Frame {
  const told = { hasTold: false, hasEnded: false, index: 0, type: "", members: [] };
  return { name, place, isList, isDetails, ...told };
}

/** Keeps what a member says where it may matter after the object has ended. */
export function keepMember(frame: Frame, name: string, text: string, isText: boolean): void {
  if (name === "index" && /^\d+$/.test(text)) frame.index = Number(text);
  if (name === "type") frame.type = text;
  const { place, members } = frame;
  if (place.priced.size > 0 && members.length < MOST_MEMBERS) members.push([name, text, isText]);
}

export const isDocument = ({ place, isList }: Frame) => place === DOCUMENT_PLACE && !isList;

/** The path of a member of the last frame, such as `usage.iterations.type`. */
export function pathOf(frames: readonly Frame[], name: string | undefined): string {
  const names = [...frames.map((frame) => frame.name), name];
  return names.filter((each) => each !== undefined).join(".");
}
