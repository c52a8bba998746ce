import { publishedPolicy } from "@/server/evidence/witnesses/policy-file";

/** The keys to trust, in the format that `trailmark verify --policy` reads (c2sp.org/tlog-policy). */
export const GET = async () =>
  new Response(publishedPolicy(), {
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
  });
