"use client";

import { useMe } from "@/components/account/org";
import { ROLE_LABEL } from "@/components/account/roles";
import { PageHeader } from "@/components/ui/page-header";
import { PasswordSection } from "./password-section";
import { SessionsSection } from "./sessions-section";
import { TwoFactorSection } from "./two-factor-section";

/** The user's own account: password, second factors and sessions. */
export function YourAccount() {
  const { user } = useMe();
  return (
    <>
      <PageHeader
        title="Your account"
        lead={[user.name, user.email, ROLE_LABEL[user.role] ?? user.role].filter(Boolean).join(" · ")}
      />
      <PasswordSection />
      <TwoFactorSection />
      <SessionsSection />
    </>
  );
}
