import type { Metadata } from "next";
import type { SearchParams } from "nuqs/server";
import { Prefetched, trpc } from "@/app/trpc-server";
import { Enrollment } from "@/components/settings/enrollment";
import { Guarded } from "@/components/shell/guarded";
import { loadList } from "@/components/shell/list-params";

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
