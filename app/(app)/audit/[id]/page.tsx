import type { Metadata } from "next";
import { fetchOrNull, Prefetched, trpc } from "@/app/trpc-server";
import { EntryPage } from "@/components/audit/detail/entry-page";
import { type Entry, sentenceText } from "@/components/audit/entry";

type Props = { params: Promise<{ id: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const entry = await fetchOrNull<Entry>(trpc.audit.get.queryOptions(await params));
  return { title: entry ? sentenceText(entry) : "Audit entry" };
}

export default async function AuditEntryRoute({ params }: Props) {
  const { id } = await params;
  return (
    <Prefetched queries={[trpc.audit.get.queryOptions({ id })]}>
      <EntryPage id={id} />
    </Prefetched>
  );
}
