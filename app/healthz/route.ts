/** The process is up; nothing else is asked. */
export const GET = async () => Response.json({ status: "ok" }, { headers: { "Cache-Control": "no-store" } });
