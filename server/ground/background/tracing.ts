import type { IncomingMessage, ServerResponse } from "node:http";
import type { Attributes, Context, Span } from "@opentelemetry/api";
import { traced } from "@/db/traced";
import { env } from "@/server/ground/env";
import { processName } from "@/server/ground/process-name";

/** A request's trace may have started in another system (W3C Trace Context). */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

type RequestSpan = { begin: (name: string) => (error?: unknown) => void; end: (attributes: Attributes) => void };
type Tracing = { beginRequest: (incoming: IncomingMessage, route: string) => RequestSpan; stop: () => Promise<void> };

let tracing: Tracing | undefined;

/** Imported only when traces are sent. */
async function load(): Promise<Tracing> {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace-base"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  const { OTEL_SERVICE_NAME, TRUST_PROXY_HEADERS } = env();
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({ "service.name": OTEL_SERVICE_NAME, "service.instance.id": processName() }),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  });
  const tracer = provider.getTracer("trailmark");
  /** Only a trusted proxy may continue a trace: callers must not decide what is recorded. */
  const parentOf = ({ headers: { traceparent } }: IncomingMessage): Context => {
    const given = TRUST_PROXY_HEADERS && typeof traceparent === "string" ? TRACEPARENT.exec(traceparent) : null;
    const [, traceId, spanId, flags] = given ?? [];
    if (!traceId || !spanId || !flags) return api.ROOT_CONTEXT;
    const remote = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
    return api.trace.setSpanContext(api.ROOT_CONTEXT, remote);
  };
  const fail = (span: Span) => span.setStatus({ code: api.SpanStatusCode.ERROR });
  return {
    beginRequest(incoming, route) {
      const attributes = { "http.request.method": incoming.method ?? "GET", "http.route": route };
      const parent = parentOf(incoming);
      const kind = api.SpanKind.SERVER;
      const span = tracer.startSpan(`${incoming.method} ${route}`, { kind, attributes }, parent);
      const inside = api.trace.setSpan(parent, span);
      return {
        begin(name) {
          const part = tracer.startSpan(name, { kind: api.SpanKind.CLIENT }, inside);
          return (error) => {
            if (error !== undefined) fail(part);
            part.end();
          };
        },
        end(more) {
          span.setAttributes(more);
          if (Number(more["http.response.status_code"]) >= 500) fail(span);
          span.end();
        },
      };
    },
    stop: () => provider.shutdown().catch(() => {}),
  };
}

/** Starts sending traces to OTEL_EXPORTER_OTLP_ENDPOINT, if set. */
export async function startTracing(): Promise<void> {
  if (env().OTEL_EXPORTER_OTLP_ENDPOINT) tracing ??= await load();
}

/** Sends collected traces. */
export async function stopTracing(): Promise<void> {
  await tracing?.stop();
  tracing = undefined;
}

/**
 * Runs a request so that its transactions know their context, and as a trace span if enabled.
 * @param route as its file declares it; null for a page. Spans contain no addresses or queries, which are personal
 * data.
 */
export function inRequest<T>(
  route: string | null,
  { incoming, outgoing }: { incoming: IncomingMessage; outgoing: ServerResponse },
  work: () => T,
): T {
  const span = tracing?.beginRequest(incoming, route ?? "page");
  const request: Parameters<typeof traced.run>[0] = span ? { begin: span.begin } : {};
  if (span)
    outgoing.once("close", () => {
      const { requestId } = request;
      const id = requestId === undefined ? {} : { "trailmark.request_id": requestId };
      span.end({ "http.response.status_code": outgoing.statusCode, ...id });
    });
  return traced.run(request, work);
}
