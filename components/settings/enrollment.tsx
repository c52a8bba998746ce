"use client";

import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useOrg } from "@/components/account/org";
import { counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { usePage } from "@/components/ui/paged-list";
import { RecordSection } from "@/components/ui/record-section";
import { useInvalidation } from "@/components/use-invalidation";
import { isUsable, revokeAction, STATE_COLUMN } from "./key";

const NewEnrollmentKey = dynamic(() => import("./new-enrollment-key").then((m) => m.NewEnrollmentKey), { ssr: false });

/** Keys with which agents join an organization. */
export function Enrollment() {
  const trpc = useTRPC();
  const { orgId, nameOf } = useOrg();
  const [page, setPage] = usePage();
  const list = useQuery(trpc.enrollmentKeys.list.queryOptions({ page, orgId }, { placeholderData: keepPreviousData }));
  const revoke = useMutation(
    trpc.enrollmentKeys.revoke.mutationOptions(useInvalidation(trpc.enrollmentKeys.pathFilter())),
  );
  const revocation = (prefix: string) =>
    revokeAction({
      name: `${prefix}…`,
      consequence: `No more devices can join with ${prefix}…. Devices that joined with it stay.`,
      by: revoke,
    });
  return (
    <RecordSection
      level="page"
      title="Enrollment"
      lead="An enrollment key adds devices to one organization. Revoking it does not affect devices already added."
      what="the enrollment keys"
      list={list}
      onPage={setPage}
      columns={[
        { header: "Organization", cell: (k) => nameOf(k.orgId) },
        { header: "Key", cell: (k) => <code>{k.prefix}…</code>, width: 160 },
        {
          header: "Used",
          cell: (k) => (k.maxUses === null ? counted(k.uses, "time") : `${k.uses} of ${k.maxUses}`),
          width: 120,
        },
        { header: "Created", cell: (k) => <When at={k.createdAt} />, width: 180, minor: true },
        { header: "Expires", cell: (k) => <When at={k.expiresAt} />, width: 180 },
        STATE_COLUMN,
      ]}
      actions={{ width: 104, of: (k) => (isUsable(k) ? [revocation(k.prefix)] : []) }}
      create={{ label: "New enrollment key", dialog: (onClose) => <NewEnrollmentKey onClose={onClose} /> }}
      empty={{
        title: "No enrollment keys yet",
        text: "Create one to get the command that enrolls your first device.",
      }}
    />
  );
}
