import { env } from "@/server/ground/env";
import type { Bus } from "./bus";
import { createNatsBus } from "./nats-bus";
import { createPollingBus } from "./polling-bus";
import { createPostgresBus } from "./postgres-bus";
import { Relay } from "./relay";

function createBus(): Bus {
  const { NATS_URL, DATABASE_PREPARE, DATABASE_DIRECT_URL } = env();
  if (NATS_URL) return createNatsBus(NATS_URL);
  return DATABASE_PREPARE || DATABASE_DIRECT_URL ? createPostgresBus() : createPollingBus();
}

let current: Relay | undefined;

/** The relay of this process, made at its first use. */
export function relay(): Relay {
  current ??= new Relay(createBus());
  return current;
}

/** At shutdown, before the database is closed. */
export async function stopRelay(): Promise<void> {
  await current?.stop();
}
