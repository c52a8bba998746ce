import type { Metadata } from "next";
import Link from "next/link";
import { Entrance } from "@/components/account/entrance";

export const metadata: Metadata = { title: "This page doesn't exist" };

export default function NotFound() {
  return (
    <Entrance title="This page doesn't exist" lead="The address may be mistyped, or the page has moved.">
      <Link href="/" className="tm-link">
        Go to the audit log
      </Link>
    </Entrance>
  );
}
