import type { RequestListener } from "node:http";
import { connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http2";
import { connect as connectSocket } from "node:net";

/** Fields of HTTP/1.1 that HTTP/2 has in another form. */
const OF_CONNECTION = ["connection", "host", "keep-alive", "transfer-encoding", "upgrade"];

/**
 * Passes requests of HTTP/1.1 on to a server of HTTP/2, each over a connection of its own from the client's address. Clients such as
 * `fetch()` speak HTTP/2 only with a certificate.
 */
export function overHttp2(url: string): RequestListener {
  return (incoming, outgoing) => {
    const { hostname: host, port } = new URL(url);
    const localAddress = incoming.socket.remoteAddress!;
    const session = connect(url, {
      createConnection: () => connectSocket({ host, port: Number(port), localAddress }),
    });
    session.on("error", () => outgoing.destroy());
    const stream = session.request(
      {
        ...without(incoming.headers),
        ":method": incoming.method!,
        ":path": incoming.url!,
        ":authority": incoming.headers.host!,
      },
      { endStream: incoming.headers["content-length"] === undefined },
    );
    incoming.pipe(stream);
    stream.on("response", ({ ":status": status, ...fields }) => {
      outgoing.writeHead(status!, without(fields) as OutgoingHttpHeaders);
      stream.pipe(outgoing);
    });
    stream.on("error", () => outgoing.destroy());
    stream.on("close", () => session.close());
    // A client that has hung up resets its stream, and leaves.
    outgoing.on("close", () => {
      if (!outgoing.writableFinished) session.destroy();
    });
  };
}

function without(fields: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => !OF_CONNECTION.includes(name)),
  );
}
