"use client";

import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import { useCan } from "@/components/account/org";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";

type Props = { permission: string; title: string; what: string; children: ReactNode };

/** A page that needs a permission; without it, a notice names the permission. The server checks it independently. */
export function Guarded({ permission, title, what, children }: Props) {
  if (useCan(permission)) return children;
  return (
    <>
      <PageHeader title={title} />
      <Notice icon={Lock} title={`You don't have access to ${what}`}>
        You need the {permission} permission. Ask an administrator.
      </Notice>
    </>
  );
}
