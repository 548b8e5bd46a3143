/** The path and the query of a request, as the rules have read them. */
export function pathOf({ href }: URL): string {
  const [address = ""] = href.split("#", 1);
  return address.slice(address.indexOf("/", address.indexOf("//") + 2));
}
