import { BESIDE, type PricedPart, type Role, USAGE_SHAPES } from "./usage-shapes.ts";

/** An object in a document that may hold a usage, or a part of one; of a list, each of its objects. */
export interface Place {
  /** The path in a usage, such as `prompt_tokens_details.`; with `[]` if numbers of several objects are summed. */
  readonly path: string;
  /** Whether numbers with unknown names may be tokens here. */
  readonly isUsage: boolean;
  readonly isList: boolean;
  readonly members: Map<string, Place | Role>;
  readonly ends: Set<string>;
  /** The parts of a price, by the name of a member, after `name=value.` if another member must say so. */
  readonly priced: Map<string, PricedPart>;
}

const LIST = "[]";

/** A step of a path to an item of a list: its name, and what one of its members must say. */
const ITEM = /^([^[]*)\[([^\]]*)\]$/;

/** An object in a usage whose name is unknown. */
export const UNKNOWN_PLACE = createPlace("", true, false);

/** The root of all places. */
export const DOCUMENT_PLACE = documentPlace();

function createPlace(path: string, isUsage: boolean, isList: boolean): Place {
  return { path, isUsage, isList, members: new Map(), ends: new Set(), priced: new Map() };
}

function documentPlace(): Place {
  const document = createPlace("", false, false);
  const usage = usagePlace("");
  const other = usagePlace(BESIDE);
  for (const shape of Object.values(USAGE_SHAPES)) {
    const { usage: paths, beside = [], counts, ends = [], decides = {} } = shape;
    for (const path of beside) add(document, path, other);
    for (const path of paths) {
      if (path === "") addCounters(document, counts);
      else add(document, path, path.includes(LIST) ? usagePlace(`${path}.`) : usage);
    }
    for (const path of ends) {
      const [parent, name] = parentOf(document, path);
      parent.ends.add(name);
    }
    addPriced(document, decides);
  }
  return document;
}

/** A usage, with the names of all APIs. */
function usagePlace(path: string): Place {
  const usage = createPlace(path, true, false);
  for (const { usage: paths, counts, priced = {} } of Object.values(USAGE_SHAPES)) {
    if (!paths.includes("")) addCounters(usage, counts);
    addPriced(usage, priced);
  }
  return usage;
}

function addCounters(place: Place, counts: Readonly<Record<string, Role>>): void {
  for (const [path, role] of Object.entries(counts)) add(place, path, role);
}

function add(root: Place, path: string, member: Place | Role): void {
  const [parent, name] = parentOf(root, path);
  parent.members.set(name, member);
}

function addPriced(root: Place, paths: Readonly<Record<string, PricedPart>>): void {
  for (const [path, part] of Object.entries(paths)) {
    const names = path.split(".");
    const labels = names.map((name) => ITEM.exec(name)?.[2] ?? "");
    const isItem = ITEM.test(names.at(-1)!);
    const last = isItem ? "" : names.pop()!;
    const place = placeAt(
      root,
      names.map((name) => name.replace(ITEM, `$1${LIST}`)),
    );
    const label = labels[names.length - 1] ?? "";
    place.priced.set([label, last].filter((each) => each !== "").join("."), part);
  }
}

/** Returns the place that holds the last name of a path, and that name. Makes the place if it is new. */
function parentOf(root: Place, path: string): readonly [Place, string] {
  const names = path.split(".");
  const last = names.pop()!;
  return [placeAt(root, names), last];
}

function placeAt(root: Place, steps: readonly string[]): Place {
  let place = root;
  for (const step of steps) {
    const name = step.replace(LIST, "");
    let next = place.members.get(name);
    if (typeof next !== "object") {
      next = createPlace(`${place.path}${step}.`, place.isUsage, name !== step);
      place.members.set(name, next);
    }
    place = next;
  }
  return place;
}
