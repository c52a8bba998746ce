import { createLoader, parseAsInteger, parseAsString, type SearchParams } from "nuqs/server";
import { GUID } from "@/server/ground/text";

const load = createLoader({ page: parseAsInteger.withDefault(1), search: parseAsString, orgId: parseAsString });
/** A paged list's URL parameters as the procedure's input. */
export async function loadList(searchParams: Promise<SearchParams>) {
  const { page, search, orgId } = await load(searchParams);
  return { page: Math.max(1, page), search: search || undefined, orgId: orgId && GUID.test(orgId) ? orgId : undefined };
}
