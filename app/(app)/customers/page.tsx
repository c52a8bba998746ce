import type { Metadata } from "next";
import { Prefetched, trpc } from "@/app/trpc-server";
import { StartPanel } from "@/components/checklist/start-panel";
import { CustomersPage } from "@/components/customers/customers-page";
import { customersQuery } from "@/components/customers/customers-query";
import { Guarded } from "@/components/frame/guarded";

export const metadata: Metadata = { title: "Customers" };

export default function CustomersRoute() {
  return (
    <Prefetched queries={[trpc.setup.checklist.queryOptions(), customersQuery(trpc)]}>
      <StartPanel />
      <Guarded permission="audit:read" title="Customers" what="the customers">
        <CustomersPage />
      </Guarded>
    </Prefetched>
  );
}
