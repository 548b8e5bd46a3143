import { random } from "../../support/random.ts";

const words = (text: string) => text.trim().split(/\s+/);

/** Text before a path, between two of its segments, and after it; one in two times, the usual one. */
const HEADS = words(String.raw`
  / // /./ /x/../ /;x/ /;/ /x/..;/ /.;x/ /%2f %2f \ /x%2f..%2f /%2e/ /%252e/ /x/%252e%252e/ /x;y/../
`);
const BETWEEN = words(String.raw`
  // /./ %2f %2F %252f %25%32%66 %5c \ /x/../ /x/..%2f /x%2f../ /x%2F..%2F /x/%2e%2e/ /x/%2e%2e%2f
  /x//%252e%252e/%252e%252e/ /x/%252e%252e%252f /;x/ ;x/ ;a=b;c/ ;/ ;x%2f ;x%2Fy/ %3bx/ %3Bx%2fy/ %253bx/
  /x/..;/ /x/..;y/ /x/..%3b/ /.;/ /x;y/..;z/ ;x/y/../ ;%2f..%2f.. /%2e%2f /.%2f /%c0%af %c0%af %e0%80%af
  /%00/ %2f%2f ;x%252fy/ %3bx%252f..%252f
`);
const TAILS = words(String.raw`
  / // ;x ;x/y ;x/../y ;x%2Fy %2F %252f %3bx %3bx/y %3Bx%2fy %253bx/y %253bx%252fy ;x%3by ;a=b,c=d ?x #x ?;x
  %3fx %3Fx/y %23x %253fx %00 %00.html %0a %09 %20 + . .. /. /.. /x/.. /x/..; /%2e /x/%2e%2e /x%2f.. \ %5c %5C..
  ;\x %c0%ae %c0%af %ff ;%ff .json /x ;/x /;x /;x/y ;;x ;x;y/z %3b%2f %3b/..;/x
`);

const escape = (letter: string) => `%${letter.charCodeAt(0).toString(16)}`;

/**
 * Spellings of a path, all different: escaped once, twice or in part, in capitals and small letters, with parameters,
 * dots, slashes and backslashes in many places, and with all kinds of things after it.
 */
export function spellingsOf(path: string, count: number, seed: number): readonly string[] {
  const draw = random(seed);
  const pick = (list: readonly string[]) => list[Math.floor(draw() * list.length)]!;
  const often = (usual: string, list: readonly string[]) => (draw() < 0.5 ? usual : pick(list));
  const spellLetter = (letter: string, share: number) => {
    if (draw() >= share) return letter;
    const escaped = escape(letter);
    return pick([
      letter.toUpperCase(),
      escaped,
      escaped.toUpperCase(),
      escaped.replace("%", "%25"),
    ]);
  };
  const segments = path.split("/").slice(1);
  const spellings = new Set<string>();
  while (spellings.size < count) {
    const share = draw() < 0.6 ? 0 : 0.3;
    const spelled = segments.map((segment) =>
      [...segment].map((letter) => spellLetter(letter, share)).join(""),
    );
    const joined = spelled.reduce((left, right) => left + often("/", BETWEEN) + right);
    const target = often("/", HEADS) + joined + often("", TAILS);
    // A request line begins with a slash; another beginning is another kind of target.
    spellings.add(target.startsWith("/") ? target : `/${target}`);
  }
  return [...spellings];
}

/** Paths that people send, each with the rule that limits it. */
export const HONEST: readonly (readonly [
  target: string,
  rule: "login" | "ride" | "project" | undefined,
])[] = [
  ["/api/login", "login"],
  ["/api/login/", "login"],
  ["/API/Login", "login"],
  ["/api//login", "login"],
  ["/api/logi%6E", "login"],
  ["/api/login?next=%2Fhome%2F..%2F&x=;", "login"],
  ["/api/login2", undefined],
  ["/api/log-in", undefined],
  ["/@scope%2fname", undefined],
  ["/@scope%2Fname/-/name-1.0.0.tgz", undefined],
  ["/@scope/name", undefined],
  ["/projects/group%2Fname", "project"],
  ["/projects/group%2Fsub%2Fname/issues/7", "project"],
  ["/projects/a;v=1/b", "project"],
  ["/a;v=1/b", undefined],
  ["/a;jsessionid=1F", undefined],
  ["/map;z=3;x=4/tile,5", undefined],
  ["/api/rides/group%2Fname", "ride"],
  ["/api/rides/7;v=1", "ride"],
  ["/api/rides/2026-10-20T12:30:00Z", "ride"],
  ["/api/rides/2026-10-20T12%3A30%3A00%2B02%3A00", "ride"],
  ["/api/rides/jane.doe%40example.com", "ride"],
  ["/api/rides/jane.doe+rides@example.com", "ride"],
  ["/api/rides/a%3Bb", "ride"],
  ["/api/rides/%23tag", "ride"],
  ["/api/rides/who%3F", "ride"],
  ["/api/rides/100%25", "ride"],
  ["/api/rides/100%", "ride"],
  ["/api/rides/J%C3%BCrgen%20M%C3%BCller", "ride"],
  ["/api/rides/%E6%9D%B1%E4%BA%AC", "ride"],
  ["/api/rides/%F0%9F%9A%95", "ride"],
  ["/api/rides/caf%E9", "ride"],
  ["/api/rides/aGVsbG8vd29ybGQ%3D", "ride"],
  ["/api/rides/aGVs%2FbG8%2B", "ride"],
  ["/api/rides/...", "ride"],
  ["/api/rides/.hidden", "ride"],
  ["/api/rides/v1..v2", "ride"],
  ["/api/rides/7/stops", undefined],
  ["/wiki/C%23_(language)", undefined],
  ["/wiki/AC%2FDC", undefined],
  ["/search/100%25%20wool", undefined],
  ["/proxy/https%3A%2F%2Fexample.com%2Fa%3Fb%3Dc%26d", undefined],
  ["/proxy/https://example.com/a", undefined],
  ["/.well-known/acme-challenge/x", undefined],
  ["/files/a/../b", undefined],
  ["/~jane/!$&'()*+,=:@", undefined],
  ["/", undefined],
];
