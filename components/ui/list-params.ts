import { createLoader, parseAsInteger, parseAsString, type SearchParams } from "nuqs/server";

const load = createLoader({ page: parseAsInteger.withDefault(1), search: parseAsString, orgId: parseAsString });
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The address of a paged list as its procedure takes it. */
export async function loadList(searchParams: Promise<SearchParams>) {
  const { page, search, orgId } = await load(searchParams);
  return { page: Math.max(1, page), search: search || undefined, orgId: orgId && GUID.test(orgId) ? orgId : undefined };
}
