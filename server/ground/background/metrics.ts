import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { BUILD } from "@/server/ground/build";

/** Prometheus metrics of the process; other modules add theirs through gauge(). */
export const registry = new Registry();
collectDefaultMetrics({ register: registry });
new Gauge({
  name: "trailmark_build_info",
  help: "Version and commit that this process runs; always 1",
  labelNames: Object.keys(BUILD),
  registers: [registry],
}).set(BUILD, 1);

const requests = new Counter({
  name: "trailmark_http_requests_total",
  help: "HTTP answers by door, route and status",
  labelNames: ["door", "route", "status"],
  registers: [registry],
});
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const seconds = new Histogram({
  name: "trailmark_http_request_seconds",
  help: "Time to a complete answer",
  labelNames: ["door"],
  buckets: SECONDS,
  registers: [registry],
});

/** @param route as its file declares it, to limit the number of values; null for a page */
export function countRequest(route: string | null, status: number, ms: number): void {
  const door = route === null ? "page" : "api";
  requests.inc({ door, route: route ?? "page", status: String(status) });
  seconds.observe({ door }, ms / 1000);
}

/** A counter, defined where the event happens. */
export const counter = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
  new Counter<Label>({ name, help, labelNames, registers: [registry] });

/** Durations in seconds, with buckets from a millisecond to half a minute. */
export const histogram = (name: string, help: string) =>
  new Histogram({ name, help, buckets: SECONDS, registers: [registry] });

/** A gauge read on demand, with one value or one per label; registered once. */
export function gauge(name: string, help: string, read: () => number | ReadonlyMap<string, number>): void {
  if (registry.getSingleMetric(name)) return;
  new Gauge({
    name,
    help,
    labelNames: ["kind"],
    registers: [registry],
    collect() {
      const figures = read();
      if (typeof figures === "number") this.set(figures);
      else for (const [kind, figure] of figures) this.set({ kind }, figure);
    },
  });
}
