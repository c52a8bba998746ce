#!/usr/bin/env -S MALLOC_ARENA_MAX=2 node --max-semi-space-size=8
import { createServer } from "node:http";
import { setFlagsFromString } from "node:v8";
import next from "next";
import type { RequestHandler } from "next/dist/server/next";
import type { Embedded } from "@/db/embedded/embedded";
import { causeOf, codeOf, isExpected, messageOf, stackOf } from "@/db/thrown";
import { createFront } from "@/server/doors/front/front";
import { env, unusableVariable } from "@/server/ground/env";
import { log } from "@/server/ground/log";
import { readableStack } from "@/server/ground/readable-stack";
import { unknownVariables } from "@/server/ground/unknown-variables";
import { CurrentService } from "./current-service";
import { lockFolder } from "./data-folder";
import { completePlaces, prepareEnvironment } from "./prepare";
import { startService } from "./service";
import { shutdown } from "./shutdown";

/**
 * By default V8 and malloc keep several times the memory in use on a large machine. The first line of this file limits
 * the young generation and malloc's arenas; the old heap is collected after growing by this much. Memory in use is
 * unlimited.
 */
setFlagsFromString("--heap-growing-percent=30");
// The first line's flag would override the young generation that each worker thread asks for.
setFlagsFromString("--max-semi-space-size=0");

const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** In development the launcher rebuilds the service on a source change and sends the new bundle's address. */
function replaceOnChange(service: CurrentService, toNext: RequestHandler): void {
  process.on("message", ({ bundle }: { bundle: string }) => {
    const load = (): Promise<{ startService: typeof startService }> => import(bundle);
    void service.replace(async () => (await load()).startService(toNext));
  });
}

async function serve(): Promise<void> {
  const { HOST, PORT, NEXTAUTH_URL, TRAILMARK_DEV } = env();
  let handle: RequestHandler | undefined;
  const toNext: RequestHandler = async (incoming, outgoing) => {
    if (!handle) throw new Error("Next is not ready");
    return handle(incoming, outgoing);
  };
  const service = new CurrentService(() => startService(toNext));
  const server = createFront(service.listener);
  // Next handles all upgrade requests on its server, for hot reloading. In production that would leave clients that
  // offer HTTP/2 or WebSockets waiting, so it gets a server without clients.
  const httpServer = TRAILMARK_DEV ? server : createServer();
  const app = next({ dev: TRAILMARK_DEV, dir: process.cwd(), httpServer, hostname: HOST, port: PORT });
  const [{ notice }] = await Promise.all([service.get(), app.prepare()]);
  handle = app.getRequestHandler();
  await new Promise<void>((resolve, reject) =>
    server.once("error", (error) => reject(listenFault(error))).listen(PORT, HOST, resolve),
  );
  process.stdout.write(`\n  Trailmark is at ${NEXTAUTH_URL}\n${notice ? `  ${notice}\n` : ""}\n`);
  if (TRAILMARK_DEV) replaceOnChange(service, toNext);
  const stop = shutdown({ server, service, closeNext: () => app.close(), embedded });
  for (const signal of SIGNALS) process.removeAllListeners(signal).on(signal, stop);
}

/** A listener's error by the responsible setting; else the error itself. */
function listenFault(error: unknown): unknown {
  const { HOST, PORT } = env();
  const code = codeOf(error);
  if (["ENOTFOUND", "EAI_AGAIN", "EADDRNOTAVAIL"].includes(code))
    return unusableVariable("HOST", `${HOST} is no address of this machine (${code})`);
  if (code === "EACCES") return unusableVariable("PORT", `this user may not listen on ${PORT}`);
  return error;
}

/** Database unavailable, read-only or full, slow statements, unreadable files: not our statement's fault. */
const OF_DATABASE = /^(08|25006|28|3D|53|57|58)/;

/** Faults that the operator can fix: one line, without a stack. */
function sentenceOf(error: unknown): string {
  if (codeOf(error) === "EADDRINUSE") return `Port ${env().PORT} is taken by another program; set PORT to a free one.`;
  if (isExpected(error)) return messageOf(error);
  const cause = causeOf(error);
  if (OF_DATABASE.test(codeOf(cause)))
    return `The start needs more of the database than it gives: ${messageOf(cause)} (SQLSTATE ${codeOf(cause)}).`;
  return readableStack(stackOf(error));
}

let embedded: Embedded | null = null;
// Before there is anything to drain, a signal only stops the embedded PostgreSQL.
const abandon = async () => {
  await embedded?.stop().catch(() => {});
  process.exit(130);
};
for (const signal of SIGNALS) process.on(signal, () => void abandon());
// The driver rejects promises that no caller can await (a reconnecting LISTEN); they are logged.
process.on("unhandledRejection", (error) => log.error({ err: error }, "unhandled rejection"));
for (const sentence of unknownVariables()) log.warn(sentence);
try {
  process.on("exit", await lockFolder(completePlaces()));
  embedded = await prepareEnvironment({ mayMake: true });
  await serve();
} catch (error) {
  process.stderr.write(`\n${sentenceOf(error)}\n\n`);
  await embedded?.stop().catch(() => {});
  process.exit(1);
}
