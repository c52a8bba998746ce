import { setTimeout as sleep } from "node:timers/promises";
import type { ConnectionOptions, NatsConnection } from "@nats-io/transport-node";
import { gauge } from "@/server/ground/background/metrics";
import { log } from "@/server/ground/log";
import { type Bus, isNews } from "./bus";
import { findGreeting } from "./nats-greeting";

const subjectOf = (processId: string): string => `trailmark.live.${processId}`;

/** Whether this process is connected, for the metric: it has one bus. */
let isConnected = false;

async function followStatus(connection: NatsConnection, onAgain: () => void): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === "reconnect") onAgain();
    if (type === "disconnect") log.warn("NATS connection lost; the relay polls until it is back");
    if (type === "reconnect" || type === "disconnect") isConnected = type === "reconnect";
  }
}

/** A wrong address is indistinguishable from a server that comes later: it is waited for, and said. */
const SILENT_MS = 5_000;
const TO_ALL = "trailmark.live.all";
const REDIAL_MS = 2_000;
const DRAIN_MS = 2_000;

type Dialled = ConnectionOptions & { servers: string[] };

/** The address list of NATS_URL as the client takes it: names and passwords apart from hosts. */
export function toNatsOptions(url: string): Dialled {
  const urls = url
    .split(",")
    .map((server) => new URL(server.includes("://") ? server.trim() : `nats://${server.trim()}`));
  const login = urls.find((server) => server.username);
  const [user, pass] = login ? [decodeURIComponent(login.username), decodeURIComponent(login.password)] : [];
  return {
    servers: urls.map((server) => server.host),
    ...(user && pass ? { user, pass } : user ? { token: user } : {}),
    ...(urls.some((server) => server.protocol === "tls:") ? { tls: {} } : {}),
  };
}

/**
 * Dials until a server takes it. Not by the client's own waitOnFirstConnect, which nothing ends.
 * @returns null when the signal ended it
 * @throws AuthorizationError for a wrong login, which no patience makes right
 */
async function dial(options: Dialled, signal: AbortSignal): Promise<NatsConnection | null> {
  const { connect, errors } = await import("@nats-io/transport-node");
  while (!signal.aborted) {
    const first = await findGreeting(options.servers, signal);
    if (first !== null) {
      const servers = [first, ...options.servers.filter((server) => server !== first)];
      const settings = { name: "trailmark", maxReconnectAttempts: -1, noRandomize: true, timeout: 5_000 };
      const connection = await connect({ ...options, ...settings, servers }).catch((error: unknown) => {
        if (error instanceof errors.AuthorizationError) throw error;
        return null;
      });
      if (connection && !signal.aborted) return connection;
      await connection?.close();
    }
    await sleep(REDIAL_MS, undefined, { signal }).catch(() => {});
  }
  return null;
}

/** What was published goes out; a server that is away is not waited for. Never rejects: a lost word costs a poll. */
async function hangUp(connection: NatsConnection): Promise<void> {
  const late = new AbortController();
  await Promise.race([connection.drain(), sleep(DRAIN_MS, undefined, late)]).catch(() => {});
  late.abort();
  await connection.close();
}

/** NATS core: a subject a process. It reconnects indefinitely; what was missed meanwhile is looked up. */
export function createNatsBus(url: string): Bus {
  let connection: NatsConnection | null = null;
  const closing = new AbortController();
  gauge("trailmark_nats_connected", "1 while NATS_URL is set and answers; 0 while the relay polls", () =>
    isConnected ? 1 : 0,
  );
  return {
    async listen(processId, onNews, onAgain) {
      const options = toNatsOptions(url);
      const silent = setInterval(
        () => log.warn({ servers: options.servers }, "NATS has not answered yet; the relay polls until it does"),
        SILENT_MS,
      ).unref();
      connection = await dial(options, closing.signal).finally(() => clearInterval(silent));
      if (!connection) return;
      const callback = (error: Error | null, message: { string(): string }) => {
        const text = error ? "" : message.string();
        if (isNews(text)) onNews(text);
      };
      for (const subject of [subjectOf(processId), TO_ALL]) connection.subscribe(subject, { callback });
      isConnected = true;
      void followStatus(connection, onAgain);
      onAgain();
    },
    async notify(processId, news) {
      connection?.publish(subjectOf(processId), news);
    },
    async notifyAll(news) {
      connection?.publish(TO_ALL, news);
    },
    async close() {
      closing.abort();
      if (connection) await hangUp(connection);
    },
  };
}
