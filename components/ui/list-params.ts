import { createLoader, parseAsInteger, parseAsString } from "nuqs/server";

const load = createLoader({ page: parseAsInteger.withDefault(1), search: parseAsString, orgId: parseAsString });
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What the address says of a paged list, as the list's procedure takes it. */
export async function loadList(searchParams: Parameters<typeof load>[0]) {
  const { page, search, orgId } = await load(searchParams as Promise<Record<string, string | string[] | undefined>>);
  return { page: Math.max(1, page), search: search || undefined, orgId: orgId && GUID.test(orgId) ? orgId : undefined };
}
