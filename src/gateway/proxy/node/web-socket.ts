/**
 * Whether a request asks for a WebSocket, the only protocol that the gateway passes on besides HTTP.
 *
 * @param connection its field `Connection`
 * @param upgrade its field `Upgrade`
 */
export function isWebSocket(
  connection: string | null | undefined,
  upgrade: string | null | undefined,
): boolean {
  const tokens = connection?.toLowerCase().split(",") ?? [];
  return (
    upgrade?.toLowerCase() === "websocket" && tokens.some((token) => token.trim() === "upgrade")
  );
}
