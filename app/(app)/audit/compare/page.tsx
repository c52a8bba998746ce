import type { Metadata } from "next";
import { ComparePage } from "@/components/audit/compare/compare-page";

export const metadata: Metadata = { title: "Compare entries" };

export default function CompareRoute() {
  return <ComparePage />;
}
