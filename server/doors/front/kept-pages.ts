import type { IncomingMessage, ServerResponse } from "node:http";
import { requireAnswer } from "@/db/lookup";
import type { Answer } from "@/server/doors/http/answer";

/**
 * Pages that are the same for everybody until the process ends. The first answer of each is kept, and is given again with
 * a nonce of its own: rendering takes the thread that answers everybody.
 */
const SAME_FOR_ALL = new Set(["/login", "/login?ended=1", "/forgot", "/invite", "/reset", "/verify"]);
/** An address of no page, as which every such address is rendered. */
const NOWHERE = "/404";

/** Pages open to everyone, Next's own addresses, and files by their extension. */
const OPEN = /^\/(api|login|invite|reset|forgot|setup|verify|p|docs|_next|__nextjs\w*)(\/|$)|\.[a-z0-9]+$/;
/** The addresses that exist; the API and /docs have route files. */
const PRESENT = /^\/((login|invite|reset|forgot|setup|verify|p\/[^/]+)\/?|icon\.svg|_next\/static\/.+|__nextjs\w*.*)$/;

/** Whether an address is open without a session, whether there is such a page or not. */
export const isOpen = (pathname: string): boolean => OPEN.test(pathname);

/** The address under which the answer to a request is kept; null for what has to be rendered each time. */
export function keptAddress({ url = "/", headers }: Pick<IncomingMessage, "url" | "headers">): string | null {
  const [pathname = "/", query = ""] = url.split("?", 2);
  if (isOpen(pathname) && !PRESENT.test(pathname)) return NOWHERE;
  // A page's data, as Next's router asks for it.
  if (headers.rsc !== undefined) return null;
  const params = new URLSearchParams(query);
  // The browser alone reads it.
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

  /** The page for a nonce; null when it has to be rendered: the first time, and a sign-in that the database cannot take. */
  async answer(address: string, nonce: string): Promise<Answer | null> {
    const kept = this.#kept.get(address);
    if (!kept || (address.startsWith("/login") && !(await answers()))) return null;
    const renewed = (text: string) => text.replaceAll(kept.nonce, nonce);
    const headers = Object.entries(kept.headers).map(([name, value]) => [name, renewed(value)]);
    return { status: kept.status, headers: Object.fromEntries(headers), body: renewed(kept.body) };
  }

  /** Has the page rendered as it is for everybody, and keeps what is answered, when it is a whole page. */
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
