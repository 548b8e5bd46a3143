/* The token is kept as long as the tab, and nowhere else. */

const NAME = "tidegate-token";

export function keptToken(): string | undefined {
  return sessionStorage.getItem(NAME) ?? undefined;
}

export function keepToken(token: string): void {
  sessionStorage.setItem(NAME, token);
}

export function forgetToken(): void {
  sessionStorage.removeItem(NAME);
}

/** Whether the server of the page has the token, as `tidegate dashboard` does. */
export function isTokenHeld(): boolean {
  return document.querySelector<HTMLMetaElement>(`meta[name="${NAME}"]`)?.content === "held";
}
