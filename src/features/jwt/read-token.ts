import { problemResponse } from "../../decide/problem.ts";
import type { Faults } from "../../options/faults.ts";
import type { Claims } from "../../partition/claims.ts";
import type { RequestData, RequestParts } from "../../partition/request-data.ts";
import { requestReporter } from "../../runtime/log.ts";
import { monotonicNow } from "../../runtime/time.ts";
import { checkJwt } from "./check-jwt.ts";
import { createVerifier, type Verdict } from "./verify-token.ts";

type Token =
  | { readonly kind: "missing" }
  | { readonly kind: "verified"; readonly claims: Claims }
  | { readonly kind: "refused"; readonly response: Response };

/** A request whose token is refused. */
interface Refused {
  readonly kind: "unidentified";
  readonly response: Response;
}

type Read<Context, Found> = (context: Context, data: RequestData) => Found | Promise<Found>;

export interface TokenReader {
  /** The header field that has the token, in lower case. */
  readonly field: string;
  /** Reads requests with the claims of their tokens. Without a promise unless something has to be waited for. */
  readonly withClaims: <Context, Found>(
    read: Read<Context, Found>,
  ) => Read<Context, Found | Refused>;
  /** Why the issuer's keys could not be read; `undefined` if they could. */
  readonly error: () => string | undefined;
}

const MISSING: Token = { kind: "missing" };

/** Stands for a reader that could not be compiled, so that the sources that need one have no fault, too. */
export const NO_READER: TokenReader = {
  field: "authorization",
  withClaims: (read) => read,
  error: () => undefined,
};

/** Three parts of base64url. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Checks whose tokens are verified and compiles their reading; `undefined` without the option. */
export function compileTokenReader(
  options: unknown,
  path: string,
  faults: Faults,
): TokenReader | undefined {
  const settings = checkJwt(options, path, faults);
  if (!settings) return options === undefined ? undefined : NO_READER;
  const { header, onInvalid } = settings;
  const verifier = createVerifier(settings);
  const reportInvalid = requestReporter(monotonicNow);
  /** Many policies, rules and the plan may ask about one request. */
  const known = new WeakMap<RequestParts, Token | Promise<Token>>();

  function tokenOf(verdict: Verdict): Token {
    if (verdict.kind === "verified") return verdict;
    if (verdict.kind === "invalid")
      reportInvalid(`a token is not valid, because ${verdict.reason}`);
    if (onInvalid === "missing") return MISSING;
    const response = verdict.kind === "invalid" ? refusal(verdict.reason) : unavailable();
    return { kind: "refused", response };
  }

  function read({ headers }: RequestParts): Token | Promise<Token> {
    const text = textIn(headers.get(header)?.trim() ?? "", header === "authorization");
    if (text === undefined) return MISSING;
    if (!COMPACT.test(text)) return tokenOf({ kind: "invalid", reason: "it is no JWT" });
    const verdict = verifier.verify(text);
    return verdict instanceof Promise ? verdict.then(tokenOf) : tokenOf(verdict);
  }

  return {
    field: header,
    withClaims: (next) => (context, data) => {
      const found = known.get(data.request) ?? read(data.request);
      known.set(data.request, found);
      const go = (token: Token) => {
        if (token.kind === "refused") {
          return { kind: "unidentified", response: token.response } as const;
        }
        return next(context, {
          ...data,
          claims: token.kind === "verified" ? token.claims : undefined,
        });
      };
      return found instanceof Promise ? found.then(go) : go(found);
    },
    error: () => verifier.error(),
  };
}

/** The text behind `Bearer`; `undefined` if there is none, as with other schemes. Elsewhere the word may be left out. */
function textIn(value: string, needsScheme: boolean): string | undefined {
  const isBearer = /^bearer(?: |$)/i.test(value);
  if (value === "" || (needsScheme && !isBearer)) return undefined;
  return isBearer ? value.slice("bearer".length).trimStart() : value;
}

/** As RFC 6750 has it. */
function refusal(reason: string): Response {
  const detail = `The token is not accepted: ${reason}.`;
  const response = problemResponse({
    type: "about:blank",
    title: "Unauthorized",
    status: 401,
    detail,
  });
  response.headers.set(
    "WWW-Authenticate",
    `Bearer error="invalid_token", error_description="${detail}"`,
  );
  return response;
}

/** A 401 would have clients throw a token away that may be valid. */
function unavailable(): Response {
  const response = problemResponse({
    type: "about:blank",
    title: "Service Unavailable",
    status: 503,
    detail: "Tokens cannot be verified at the moment.",
  });
  response.headers.set("Retry-After", "10");
  return response;
}
