import type { Metadata } from "next";
import { Around } from "@/components/around/around";

export const metadata: Metadata = { title: "Everything around this moment" };

export default async function AroundRoute({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return <Around id={id} />;
}
