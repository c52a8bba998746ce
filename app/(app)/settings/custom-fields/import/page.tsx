import type { Metadata } from "next";
import { Prefetched, trpc } from "@/app/trpc-server";
import { Guarded } from "@/components/frame/guarded";
import { ImportPage } from "@/components/import/import-page";

export const metadata: Metadata = { title: "Import custom fields" };

export default function CustomFieldImportPage() {
  return (
    <Prefetched needs={[trpc.imports.sources.queryOptions()]} queries={[trpc.imports.list.queryOptions({ page: 1 })]}>
      <Guarded permission="custom_fields:import" title="Import custom fields" what="imports">
        <ImportPage />
      </Guarded>
    </Prefetched>
  );
}
