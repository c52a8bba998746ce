"use client";

import { Lock } from "lucide-react";
import type { ReactNode } from "react";
import { useCan } from "@/components/account/org";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";

type Props = { permission: string; title: string; what: string; children: ReactNode };

/** A page for those who hold a permission; the others are told what it takes. The server refuses them by itself. */
export function Guarded({ permission, title, what, children }: Props) {
  if (useCan(permission)) return children;
  return (
    <>
      <PageHeader title={title} />
      <Notice icon={Lock} title={`You may not see ${what}`}>
        It takes the permission {permission}, which administrators hold. Ask one of yours if you need it.
      </Notice>
    </>
  );
}
