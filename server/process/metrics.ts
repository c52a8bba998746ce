import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { shared } from "@/server/shared";

/** The process's Prometheus metrics; other rooms add theirs through gauge(). */
export const metrics = shared("metrics", () => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: "trailmark_" });
  return {
    registry,
    requests: new Counter({
      name: "trailmark_http_requests_total",
      help: "HTTP answers by door and status",
      labelNames: ["door", "status"],
      registers: [registry],
    }),
    seconds: new Histogram({
      name: "trailmark_http_request_seconds",
      help: "Time to a complete answer",
      labelNames: ["door"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
      registers: [registry],
    }),
  };
});

export function countRequest(door: "api" | "page", status: number, ms: number): void {
  metrics.requests.inc({ door, status: String(status) });
  metrics.seconds.observe({ door }, ms / 1000);
}

/** A gauge read when somebody asks; registered once however many bundles hold this module. */
export function gauge(name: string, help: string, read: () => number): void {
  if (metrics.registry.getSingleMetric(name)) return;
  new Gauge({
    name,
    help,
    registers: [metrics.registry],
    collect() {
      this.set(read());
    },
  });
}
