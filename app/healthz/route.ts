import { BUILD } from "@/server/ground/build";

/** Liveness: the process is up. Nothing else is checked. */
export const GET = async () => Response.json({ status: "ok", ...BUILD }, { headers: { "Cache-Control": "no-store" } });
