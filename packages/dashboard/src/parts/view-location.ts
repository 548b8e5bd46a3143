/** The view that the person looks at: the parts of the hash, and its query. */
export interface ViewLocation {
  readonly view: string;
  /** The part after the view, such as the number of a rule. */
  readonly rest: string;
  readonly query: URLSearchParams;
}

export function locationOf(hash: string): ViewLocation {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [view = "", rest = ""] = path.split(/\/(.*)/s);
  return { view, rest, query: new URLSearchParams(query) };
}

/** The address of a view. */
export function linkTo(path: string, query: Readonly<Record<string, string | undefined>> = {}) {
  const words = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const search = new URLSearchParams(words).toString();
  return `#/${path}${search && `?${search}`}`;
}
