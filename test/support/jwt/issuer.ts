import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { CompactSign, exportJWK, generateKeyPair, type JWK } from "jose";
import { onTestFinished } from "vitest";

export const ISSUER = "https://issuer.example";
export const AUDIENCE = "https://api.example";

/** An issuer of tokens with an address of its keys, for one test. */
export interface Issuer {
  readonly jwks: string;
  /** How often its keys were asked for. */
  readonly asked: number;
  readonly publicKeys: readonly JWK[];
  /** Signs these claims, beside those that every token has, with the newest key. */
  sign(claims?: object, header?: object): Promise<string>;
  /** Signs a text, which need not be JSON. */
  signText(text: string, header?: object): Promise<string>;
  /** Takes a new key in the place of all others. */
  rotate(): Promise<void>;
  /** Answers like this from now on, in the place of its keys. */
  answer(listener: RequestListener | undefined): void;
}

/** Seconds since 1970. */
export const now = () => Math.floor(Date.now() / 1_000);

/** The claims of a sound token, and these. */
export function claimsWith(claims: object = {}): object {
  return { iss: ISSUER, aud: AUDIENCE, sub: "ada", exp: now() + 300, ...claims };
}

/** Its keys are of elliptic curves: a pair of RSA takes a tenth of a second to make. */
export async function startIssuer(algorithm = "ES256"): Promise<Issuer> {
  let asked = 0;
  let listener: RequestListener | undefined;
  let privateKey: CryptoKey;
  let publicKeys: readonly JWK[] = [];
  let kid = 0;

  async function rotate(): Promise<void> {
    const pair = await generateKeyPair(algorithm);
    privateKey = pair.privateKey;
    kid++;
    publicKeys = [
      { ...(await exportJWK(pair.publicKey)), kid: `k${kid}`, alg: algorithm, use: "sig" },
    ];
  }

  function signText(text: string, header: object = {}): Promise<string> {
    return new CompactSign(new TextEncoder().encode(text))
      .setProtectedHeader({ alg: algorithm, kid: `k${kid}`, ...header })
      .sign(privateKey, { crit: { x: true } });
  }

  await rotate();
  const server = createServer((request, response) => {
    asked++;
    if (listener) return listener(request, response);
    response
      .setHeader("Content-Type", "application/json")
      .end(JSON.stringify({ keys: publicKeys }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return {
    jwks: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
    get asked() {
      return asked;
    },
    get publicKeys() {
      return publicKeys;
    },
    sign: (claims, header) => signText(JSON.stringify(claimsWith(claims)), header),
    signText,
    rotate,
    answer(next) {
      listener = next;
    },
  };
}

/** A token that nobody signed, or that its author signed otherwise. */
export function unsigned(header: object, claims: object, signature = ""): string {
  const parts = [header, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString("base64url"),
  );
  return [...parts, signature].join(".");
}
