import type { Metadata } from "next";
import { TodayStrip } from "@/app/(app)/today-strip";
import { Prefetched, trpc } from "@/app/trpc-server";
import { CustomersPage } from "@/components/customers/customers-page";
import { customersQuery } from "@/components/customers/customers-query";
import { Guarded } from "@/components/frame/guarded";

export const metadata: Metadata = { title: "Customers" };

export default function CustomersRoute() {
  return (
    <Prefetched queries={[customersQuery(trpc)]}>
      <TodayStrip />
      <Guarded permission="audit:read" title="Customers" what="the customers">
        <CustomersPage />
      </Guarded>
    </Prefetched>
  );
}
