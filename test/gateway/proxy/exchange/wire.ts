import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A message of HTTP/1.1 as it stands on the wire, taken apart. */
export interface Message {
  /** The request line or the status line. */
  readonly line: string;
  /** In the order and the case in which they came. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly trailers: readonly (readonly [name: string, value: string])[];
  /** Interim responses that came before it, by their status lines and fields. */
  readonly interim: readonly string[];
  /** Whether it ended as its framing promises. */
  readonly isWhole: boolean;
}

const EMPTY = { line: "", fields: [], body: "", trailers: [], interim: [], isWhole: false };

/**
 * Reads the messages of a socket, byte by byte as ISO-8859-1. Of a response, `toHead` says that it has no body whatever its
 * fields say.
 */
export class Reader {
  private text = "";
  private isEnded = false;
  private wake = () => {};

  readonly socket: Socket;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => this.add(chunk));
    socket.on("error", () => this.end());
    socket.on("close", () => this.end());
    socket.on("end", () => this.end());
  }

  private add(chunk: string): void {
    this.text += chunk;
    this.wake();
  }

  private end(): void {
    this.isEnded = true;
    this.wake();
  }

  private async more(): Promise<boolean> {
    if (this.isEnded) return false;
    await new Promise<void>((resolve) => (this.wake = resolve));
    return true;
  }

  /** The text up to a mark, which is dropped; `undefined` if the socket ends before. */
  async until(mark: string): Promise<string | undefined> {
    for (;;) {
      const at = this.text.indexOf(mark);
      if (at >= 0) {
        const found = this.text.slice(0, at);
        this.text = this.text.slice(at + mark.length);
        return found;
      }
      if (!(await this.more())) return undefined;
    }
  }

  /** So many bytes, or fewer if the socket ends before. */
  async take(length: number): Promise<string> {
    while (this.text.length < length && (await this.more()));
    const found = this.text.slice(0, length);
    this.text = this.text.slice(length);
    return found;
  }

  /** All that comes until the socket ends. */
  async rest(): Promise<string> {
    while (await this.more());
    return this.take(this.text.length);
  }

  async message(kind: "request" | "response", toHead = false): Promise<Message> {
    const interim: string[] = [];
    for (;;) {
      const head = await this.until("\r\n\r\n");
      if (head === undefined) return { ...EMPTY, body: await this.rest(), interim };
      const [line = "", ...lines] = head.split("\r\n");
      if (kind === "response" && /^HTTP\/1\.[01] 1(?!01)/.test(line)) {
        interim.push(head);
        continue;
      }
      const fields = lines.map(fieldOf);
      const isBodiless =
        kind === "response" && (toHead || /^HTTP\/1\.[01] (?:101|204|304)/.test(line));
      const content = isBodiless
        ? { body: "", trailers: [], isWhole: true }
        : await this.content(kind, fields);
      return { line, fields, interim, ...content };
    }
  }

  private async content(
    kind: "request" | "response",
    fields: Message["fields"],
  ): Promise<Pick<Message, "body" | "trailers" | "isWhole">> {
    const values = (wanted: string) =>
      fields.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
    if (values("transfer-encoding").some((value) => /chunked$/i.test(value))) {
      return this.chunks();
    }
    const [length] = values("content-length");
    if (length !== undefined) {
      const body = await this.take(Number(length));
      return { body, trailers: [], isWhole: body.length === Number(length) };
    }
    if (kind === "request") return { body: "", trailers: [], isWhole: true };
    return { body: await this.rest(), trailers: [], isWhole: true };
  }

  private async chunks(): Promise<Pick<Message, "body" | "trailers" | "isWhole">> {
    let body = "";
    for (;;) {
      const size = Number.parseInt((await this.until("\r\n")) ?? "", 16);
      if (Number.isNaN(size)) return { body, trailers: [], isWhole: false };
      if (size > 0) {
        body += await this.take(size);
        if ((await this.until("\r\n")) === undefined) return { body, trailers: [], isWhole: false };
        continue;
      }
      const trailers: [string, string][] = [];
      for (;;) {
        const line = await this.until("\r\n");
        if (line === undefined) return { body, trailers, isWhole: false };
        if (line === "") return { body, trailers, isWhole: true };
        trailers.push(fieldOf(line));
      }
    }
  }
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

/** What an origin does with a connection after a request came in. */
export type Script = (asked: Message, socket: Socket, reader: Reader) => unknown;

/** An origin that writes its bytes itself. */
export interface WireOrigin {
  readonly url: string;
  readonly server: Server;
  /** The requests that it got. */
  readonly seen: Message[];
  /** The connections that are open. */
  readonly sockets: ReadonlySet<Socket>;
  /** What it does from now on. */
  script: Script;
  close(): Promise<void>;
}

export async function startWireOrigin(): Promise<WireOrigin> {
  const sockets = new Set<Socket>();
  const seen: Message[] = [];
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    void serve(socket);
  });

  async function serve(socket: Socket): Promise<void> {
    const reader = new Reader(socket);
    for (;;) {
      const asked = await reader.message("request");
      if (asked.line !== "") seen.push(asked);
      if (!asked.isWhole) return void socket.destroy();
      await origin.script(asked, socket, reader);
    }
  }

  await once(server.listen(0, "127.0.0.1"), "listening");
  const origin: WireOrigin = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    seen,
    sockets,
    script: (_, socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "latin1"),
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
  return origin;
}

/** Opens a connection whose bytes the test writes itself. */
export async function dial(url: string): Promise<{ socket: Socket; reader: Reader }> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const reader = new Reader(socket);
  await once(socket, "connect");
  return { socket, reader };
}

/** Sends a request's bytes, and reads the answer. `{host}` in them is the server's name. */
export async function exchange(url: string, bytes: string): Promise<Message> {
  const { socket, reader } = await dial(url);
  try {
    socket.write(bytes.replace("{host}", new URL(url).host), "latin1");
    return await reader.message("response", bytes.startsWith("HEAD "));
  } finally {
    socket.destroy();
  }
}
