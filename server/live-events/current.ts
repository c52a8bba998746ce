import { env } from "@/server/env";
import { createNatsBus } from "./nats-bus";
import { createPostgresBus } from "./postgres-bus";
import { Relay } from "./relay";

let current: Relay | undefined;

/** The relay of this process, made at its first use. */
export function relay(): Relay {
  const { NATS_URL } = env();
  current ??= new Relay(NATS_URL ? createNatsBus(NATS_URL) : createPostgresBus());
  return current;
}

/** At shutdown, before the database is closed. */
export async function stopRelay(): Promise<void> {
  await current?.stop();
}
