import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { AddressPage } from "@/components/audit/activity/activity";
import { Guarded } from "@/components/frame/guarded";

type Props = { searchParams: Promise<{ ip?: string | string[] }> };

/** Address in the query, because a path would end like a file name. */
const ipOf = async ({ searchParams }: Props): Promise<string> => {
  const { ip } = await searchParams;
  return typeof ip === "string" ? ip.slice(0, 64) : notFound();
};

export const generateMetadata = async (props: Props): Promise<Metadata> => ({ title: await ipOf(props) });

export default async function AddressRoute(props: Props) {
  return (
    <Guarded permission="audit:read" title="Address" what="this address">
      <AddressPage ip={await ipOf(props)} now={new Date().toISOString()} />
    </Guarded>
  );
}
