import { exposeMetrics } from "@/server/run/process/expose-metrics";

export const GET = exposeMetrics;
