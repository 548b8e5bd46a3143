/** The path and the query of a request, as the rules have read them. */
export function pathOf(url: string): string {
  const [address = ""] = new URL(url).href.split("#", 1);
  return address.slice(address.indexOf("/", address.indexOf("//") + 2));
}
