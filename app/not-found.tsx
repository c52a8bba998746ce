import type { Metadata } from "next";
import { AuthLayout } from "@/components/account/auth-layout";

export const metadata: Metadata = { title: "This page doesn't exist" };

/** Deliberately free of client components: every page loads the scripts of this one as well. */
export default function NotFound() {
  return (
    <AuthLayout title="This page doesn't exist" lead="The address may be mistyped, or the page has moved.">
      <a href="/" className="tm-link">
        Go to the audit log
      </a>
    </AuthLayout>
  );
}
