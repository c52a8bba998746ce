import type { IncomingMessage, ServerResponse } from "node:http";
import { requireAnswer } from "@/db/lookup";
import type { Answer } from "@/server/doors/http/answer";

/**
 * Pages equal for everybody until the process ends. The first answer is cached and returned with a fresh nonce, because
 * rendering blocks the request thread.
 */
const SAME_FOR_ALL = new Set(["/login", "/login?ended=1", "/forgot", "/invite", "/reset", "/verify"]);
/** A nonexistent address, rendered for all of them. */
const NOWHERE = "/404";

/** Public pages, Next's own addresses, and files by extension. */
const OPEN = /^\/(api|login|invite|reset|forgot|setup|verify|p|docs|_next|__nextjs\w*)(\/|$)|\.[a-z0-9]+$/;
/** Existing addresses; the API and /docs have route files. */
const PRESENT = /^\/((login|invite|reset|forgot|setup|verify|p\/[^/]+)\/?|icon\.svg|_next\/static\/.+|__nextjs\w*.*)$/;

/** True if an address needs no session, whether it exists or not. */
export const isOpen = (pathname: string): boolean => OPEN.test(pathname);

/** Cache address of a request; null if it must be rendered. */
export function keptAddress({ url = "/", headers }: Pick<IncomingMessage, "url" | "headers">): string | null {
  const [pathname = "/", query = ""] = url.split("?", 2);
  if (isOpen(pathname) && !PRESENT.test(pathname)) return NOWHERE;
  // A page's data for Next's router.
  if (headers.rsc !== undefined) return null;
  const params = new URLSearchParams(query);
  // Only the browser reads it.
  params.delete("callbackUrl");
  const address = params.size > 0 ? `${pathname}?${params}` : pathname;
  return SAME_FOR_ALL.has(address) ? address : null;
}

type Kept = Answer & { body: string; nonce: string };

const answers = (): Promise<boolean> =>
  requireAnswer().then(
    () => true,
    () => false,
  );

/** The pages that one front keeps. */
export class KeptPages {
  readonly #kept = new Map<string, Kept>();

  /**
   * The page with a nonce; null if it must be rendered: the first time, and a sign-in page while the database is down.
   */
  async answer(address: string, nonce: string): Promise<Answer | null> {
    const kept = this.#kept.get(address);
    if (!kept || (address.startsWith("/login") && !(await answers()))) return null;
    const renewed = (text: string) => text.replaceAll(kept.nonce, nonce);
    const headers = Object.entries(kept.headers).map(([name, value]) => [name, renewed(value)]);
    return { status: kept.status, headers: Object.fromEntries(headers), body: renewed(kept.body) };
  }

  /** Renders the page as for everybody, and caches the answer if complete. */
  keep(
    address: string,
    nonce: string,
    { incoming, outgoing }: { incoming: IncomingMessage; outgoing: ServerResponse },
  ) {
    incoming.url = address;
    for (const name of ["cookie", "user-agent", "accept-encoding"]) delete incoming.headers[name];
    const own = new Set(outgoing.getHeaderNames());
    const chunks: Uint8Array[] = [];
    for (const name of ["write", "end"] as const) {
      const method = outgoing[name];
      const value = (...args: unknown[]) => {
        const [chunk] = args;
        if (typeof chunk === "string") chunks.push(Buffer.from(chunk));
        else if (chunk instanceof Uint8Array) chunks.push(chunk);
        return Reflect.apply(method, outgoing, args);
      };
      Object.defineProperty(outgoing, name, { value, configurable: true, writable: true });
    }
    outgoing.once("finish", () => {
      const { statusCode: status } = outgoing;
      if (incoming.method !== "GET" || status !== (address === NOWHERE ? 404 : 200)) return;
      const headers = Object.entries(outgoing.getHeaders())
        .filter(
          ([name]) => !own.has(name) && !/^(content-length|transfer-encoding|connection|keep-alive|date)$/.test(name),
        )
        .map(([name, value]) => [name, String(value)]);
      const body = Buffer.concat(chunks).toString("utf8");
      this.#kept.set(address, { status, headers: Object.fromEntries(headers), body, nonce });
    });
  }
}
