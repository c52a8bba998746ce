import { once } from "node:events";
import type { Server } from "node:net";

/** Opens a local port for a server, a free one unless told, and returns it. */
export async function listen(server: Server, port = 0): Promise<number> {
  await once(server.listen(port, "127.0.0.1"), "listening");
  return portOf(server);
}

export function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The server listens on no port.");
  return address.port;
}
