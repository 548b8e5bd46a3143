import { random } from "../../support/random.ts";

/** The words of a text. */
export const words = (text: string): readonly string[] => text.match(/\S+/g) ?? [];

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
    const twice = escaped.replace("%", "%25");
    return pick([letter.toUpperCase(), escaped, escaped.toUpperCase(), twice]);
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

const PEOPLE_SEND = {
  login: words(
    "/api/login /api/login/ /API/Login /api//login /api/logi%6E /api/login?next=%2Fhome%2F..%2F&x=;",
  ),
  project: words("/projects/group%2Fname /projects/group%2Fsub%2Fname/issues/7 /projects/a;v=1/b"),
  ride: words(`
    /api/rides/group%2Fname /api/rides/7;v=1 /api/rides/2026-10-20T12:30:00Z /api/rides/2026-10-20T12%3A30%3A00%2B02%3A00
    /api/rides/jane.doe%40example.com /api/rides/jane.doe+rides@example.com /api/rides/a%3Bb /api/rides/%23tag
    /api/rides/who%3F /api/rides/100%25 /api/rides/100% /api/rides/J%C3%BCrgen%20M%C3%BCller /api/rides/%E6%9D%B1%E4%BA%AC
    /api/rides/%F0%9F%9A%95 /api/rides/caf%E9 /api/rides/aGVsbG8vd29ybGQ%3D /api/rides/aGVs%2FbG8%2B /api/rides/...
    /api/rides/.hidden /api/rides/v1..v2
  `),
  "": words(`
    /api/login2 /api/log-in /@scope%2fname /@scope%2Fname/-/name-1.0.0.tgz /@scope/name /a;v=1/b /a;jsessionid=1F
    /map;z=3;x=4/tile,5 /api/rides/7/stops /wiki/C%23_(language) /wiki/AC%2FDC /search/100%25%20wool
    /proxy/https%3A%2F%2Fexample.com%2Fa%3Fb%3Dc%26d /proxy/https://example.com/a /.well-known/acme-challenge/x
    /files/a/../b /~jane/!$&'()*+,=:@ /
  `),
};

/** Paths that people send, each with the rule that limits it; "" for none. */
export const HONEST = Object.entries(PEOPLE_SEND).flatMap(([rule, targets]) =>
  targets.map((target) => [target, rule] as const),
);
