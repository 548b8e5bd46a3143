import { HTTPException } from "hono/http-exception";
import { proxy } from "hono/proxy";

import { problemResponse } from "../http/problem.ts";

/**
 * Passes a request on and its response back, both bodies streamed, headers that concern one hop left out.
 *
 * @param origin where to; `undefined` for the address that the request already has
 */
export async function passOn(request: Request, origin: string | undefined): Promise<Response> {
  const { pathname, search, host, protocol } = new URL(request.url);
  // Put together as text: as a relative URL, a path of "//evil.example" would name another host.
  const target = origin === undefined ? request.url : `${origin}${pathname}${search}`;
  try {
    if (request.headers.get("upgrade")?.toLowerCase() === "websocket") {
      // The platform hands the socket over with the response; the headers of the hop are what asks for it.
      return await fetch(new Request(target, request));
    }
    return await proxy(target, {
      raw: request,
      // A redirect is for the client to follow.
      redirect: "manual",
      strictConnectionProcessing: true,
      customFetch: (proxied) => {
        proxied.headers.set("X-Forwarded-Host", host);
        proxied.headers.set("X-Forwarded-Proto", protocol.slice(0, -1));
        return fetch(proxied);
      },
    });
  } catch (error) {
    if (error instanceof HTTPException) {
      return problemResponse({
        type: "about:blank",
        title: "Bad Request",
        status: error.status,
        detail: "The request's Connection field is malformed.",
      });
    }
    return problemResponse({
      type: "about:blank",
      title: "Bad Gateway",
      status: 502,
      detail: "The origin did not answer.",
    });
  }
}
