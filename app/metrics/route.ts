import { exposeMetrics } from "@/server/process/expose-metrics";

export const GET = exposeMetrics;
