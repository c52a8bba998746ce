import type { Server } from "node:net";

export function portOf(server: Server): number {
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("The server listens on no port.");
  return address.port;
}
