import { publishedPolicy } from "@/server/evidence/witnesses/policy-file";

/** Keys to trust, in the format of `trailmark verify --policy` (c2sp.org/tlog-policy). */
export const GET = async () =>
  new Response(publishedPolicy(), {
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
  });
