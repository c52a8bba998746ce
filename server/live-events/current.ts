import { env } from "@/server/env";
import { shared } from "@/server/shared";
import { createNatsBus } from "./nats-bus";
import { createPostgresBus } from "./postgres-bus";
import { Relay } from "./relay";

const holder = shared("live.relay", (): { relay?: Relay } => ({}));

/** The relay of this process, made at its first use. */
export function relay(): Relay {
  const { NATS_URL } = env();
  holder.relay ??= new Relay(NATS_URL ? createNatsBus(NATS_URL) : createPostgresBus());
  return holder.relay;
}

/** At shutdown, before the database is closed. */
export async function stopRelay(): Promise<void> {
  await holder.relay?.stop();
}
