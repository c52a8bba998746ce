import type { Metadata } from "next";
import { fetchOrNull, trpc } from "@/app/trpc-server";
import { ActorPage } from "@/components/audit/activity/activity";
import { filterFor } from "@/components/audit/state/narrow";
import { Guarded } from "@/components/frame/guarded";
import { joinValues } from "@/server/audit/query/values";
import type { ListedPage } from "@/server/audit/schema";
import { actorOf } from "@/server/audit/sentence";

type Props = { params: Promise<{ id: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const id = decodeURIComponent((await params).id);
  const one = { [filterFor("actorId", id)]: joinValues([id]), limit: 1, skipCount: true };
  const [entry] = (await fetchOrNull<ListedPage>(trpc.audit.list.queryOptions(one)))?.data ?? [];
  return { title: entry ? actorOf(entry) : "Actor" };
}

export default async function ActorRoute({ params }: Props) {
  return (
    <Guarded permission="audit:read" title="Actor" what="this actor">
      <ActorPage id={decodeURIComponent((await params).id)} now={new Date().toISOString()} />
    </Guarded>
  );
}
