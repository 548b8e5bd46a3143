type Asked = Pick<Request, "method" | "headers" | "url">;

const METHOD = "access-control-request-method";

/** Whether a browser asks for the permission to send another request. */
export function isPreflight({ method, headers }: Asked): boolean {
  return method === "OPTIONS" && headers.has("origin") && headers.has(METHOD);
}

/** The request that a preflight asks for, as far as rules look at it. */
export function askedRequest({ headers, url }: Asked): Asked {
  return { method: headers.get(METHOD)!, headers, url };
}
