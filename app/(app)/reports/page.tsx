import type { Metadata } from "next";
import { ReportsPage } from "@/components/reports/reports-page";

export const metadata: Metadata = { title: "Reports" };

export default function ReportsRoute() {
  return <ReportsPage loadedAt={new Date().toISOString()} />;
}
