import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { Prefetched, trpc } from "@/app/trpc-server";
import { Guarded } from "@/components/frame/guarded";
import { Enrollment } from "@/components/settings/enrollment";
import { loadList } from "@/components/ui/list-params";

export const metadata: Metadata = { title: "Enrollment" };

export default async function EnrollmentPage({ searchParams }: { searchParams: Promise<SearchParams> }) {
  const { page, orgId } = await loadList(searchParams);
  return (
    <Prefetched queries={[trpc.enrollmentKeys.list.queryOptions({ page, orgId })]}>
      <Guarded permission="agents:enroll" title="Enrollment" what="the enrollment keys">
        <Enrollment />
      </Guarded>
    </Prefetched>
  );
}
