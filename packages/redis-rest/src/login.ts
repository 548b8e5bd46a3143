export interface Login {
  readonly username?: string;
  readonly password?: string;
}

/**
 * Takes the user and the password out of an address. ioredis would use an address with a user and no password as one with an
 * empty password, and would not use it for the nodes of a cluster that it finds by itself.
 *
 * @param password for an address without one
 */
export function splitLogin(
  address: string,
  password?: string,
): { readonly url: string; readonly login: Login } {
  const url = new URL(address);
  const [username, own] = [url.username, url.password].map(decodeURIComponent);
  const secret = own || password;
  url.username = "";
  url.password = "";
  return {
    url: url.href,
    login: { ...(username && { username }), ...(secret && { password: secret }) },
  };
}
