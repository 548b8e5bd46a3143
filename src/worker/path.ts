/**
 * The path by which a request is matched to rules: as the most lenient origin would read it, so that no other spelling
 * of a limited path goes past its rule. Escapes are decoded, repeated and trailing slashes dropped, case is ignored.
 * The origin gets the path as it was sent.
 */
export function matchablePath(pathname: string): string {
  let path = pathname;
  // Twice, because some origins decode once more than they should.
  for (let round = 0; round < 2 && path.includes("%"); round++) {
    path = path.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
      try {
        return decodeURIComponent(escapes);
      } catch {
        // Not UTF-8: it stays as it is, as no rule can name it.
        return escapes;
      }
    });
  }
  // What decoding brought to light is resolved as the URL parser would have: "/a/%2e%2e%2flogin" is "/login".
  const segments: string[] = [];
  for (const segment of path.replaceAll("\\", "/").split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`.toLowerCase();
}
