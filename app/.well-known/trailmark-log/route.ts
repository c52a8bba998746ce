import { publishedPolicy } from "@/server/audit/witnesses/policy-file";

/** Whose signatures to trust, in the form that `trailmark verify --policy` takes (c2sp.org/tlog-policy). */
export const GET = async () =>
  new Response(publishedPolicy(), {
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
  });
