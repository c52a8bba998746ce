/** Liveness: the process is up. Nothing else is checked. */
export const GET = async () => Response.json({ status: "ok" }, { headers: { "Cache-Control": "no-store" } });
