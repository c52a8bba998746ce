import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** The process's Prometheus metrics; other rooms add theirs through gauge(). */
export const registry = new Registry();
collectDefaultMetrics({ register: registry, prefix: "trailmark_" });

const requests = new Counter({
  name: "trailmark_http_requests_total",
  help: "HTTP answers by door, route and status",
  labelNames: ["door", "route", "status"],
  registers: [registry],
});
const seconds = new Histogram({
  name: "trailmark_http_request_seconds",
  help: "Time to a complete answer",
  labelNames: ["door"],
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  registers: [registry],
});

/** @param route as its file declares it, so that there are as many as files; null for a page */
export function countRequest(route: string | null, status: number, ms: number): void {
  const door = route === null ? "page" : "api";
  requests.inc({ door, route: route ?? "page", status: String(status) });
  seconds.observe({ door }, ms / 1000);
}

/** A count that only grows while the process runs; made where what it counts happens. */
export const counter = (name: string, help: string): Counter => new Counter({ name, help, registers: [registry] });

/** A gauge read when the metrics are; registered once. */
export function gauge(name: string, help: string, read: () => number): void {
  if (registry.getSingleMetric(name)) return;
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
