import type { Metadata } from "next";
import { Prefetched, trpc } from "@/app/trpc-server";
import { StartPage } from "@/components/checklist/start-page";

export const metadata: Metadata = { title: "Getting started" };

export default function StartRoute() {
  return (
    <Prefetched queries={[trpc.setup.checklist.queryOptions()]}>
      <StartPage />
    </Prefetched>
  );
}
