import type { Metadata } from "next";
import { fetchOrNull, idIn, Prefetched, trpc } from "@/app/trpc-server";
import { EntryPage } from "@/components/audit/detail/entry-page";
import { type Entry, entryTitle } from "@/components/audit/entry";

type Props = { params: Promise<{ id: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  return { title: entryTitle(await fetchOrNull<Entry>(trpc.audit.get.queryOptions({ id: await idIn(params) }))) };
}

export default async function AuditEntryRoute({ params }: Props) {
  const id = await idIn(params);
  return (
    <Prefetched queries={[trpc.audit.get.queryOptions({ id })]}>
      <EntryPage id={id} />
    </Prefetched>
  );
}
