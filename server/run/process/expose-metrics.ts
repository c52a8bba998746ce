import { timingSafeEqual } from "node:crypto";
import { problemResponse } from "@/server/doors/http/problem";
import { registry } from "@/server/ground/background/metrics";
import { PEER_HEADER } from "@/server/ground/client-ip";
import { env } from "@/server/ground/env";
import { AppError } from "@/server/ground/errors";
import { registerGauges } from "./gauges";

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;
/** Local names of this machine. Under any other, a page open in a local browser may be asking. */
const OWN_NAME = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i;

/** Headers added by proxies: the socket's address is then the proxy's. */
const FORWARDING = /^(forwarded|x-forwarded-.*|x-real-ip|x-client-ip|cf-connecting-ip|true-client-ip|via)$/i;

const isForwarded = ({ headers }: Request): boolean => [...headers].some(([name]) => FORWARDING.test(name));

const isOwnMachine = ({ headers }: Request): boolean =>
  LOOPBACK.test(headers.get(PEER_HEADER) ?? "") && OWN_NAME.test(headers.get("host") ?? "localhost");

function mayRead(request: Request): boolean {
  const token = env().METRICS_TOKEN;
  if (!token) return isOwnMachine(request) && !isForwarded(request);
  const given = Buffer.from((request.headers.get("authorization") ?? "").replace(/^Bearer /i, ""));
  const wanted = Buffer.from(token);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

/** Prometheus text for holders of METRICS_TOKEN, or only for this machine if none is set. */
export async function exposeMetrics(request: Request): Promise<Response> {
  if (!mayRead(request))
    return problemResponse(
      new AppError("unauthenticated", "Metrics need METRICS_TOKEN, or a call from this machine."),
      crypto.randomUUID(),
    );
  registerGauges();
  return new Response(await registry.metrics(), {
    headers: { "Content-Type": registry.contentType, "Cache-Control": "no-store" },
  });
}
