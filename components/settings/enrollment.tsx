"use client";

import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsInteger, useQueryState } from "nuqs";
import { useOrg } from "@/components/account/org";
import { counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { useInvalidation } from "@/components/use-invalidation";
import { KeyList } from "./key-list";

const NewEnrollmentKey = dynamic(() => import("./new-enrollment-key").then((m) => m.NewEnrollmentKey), { ssr: false });

/** Keys with which agents join an organization. */
export function Enrollment() {
  const trpc = useTRPC();
  const { orgId, nameOf } = useOrg();
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(1).withOptions({ history: "push" }));
  const list = useQuery(trpc.enrollmentKeys.list.queryOptions({ page, orgId }, { placeholderData: keepPreviousData }));
  const revoke = useMutation(
    trpc.enrollmentKeys.revoke.mutationOptions(useInvalidation(trpc.enrollmentKeys.pathFilter())),
  );
  return (
    <KeyList
      singular="enrollment key"
      plural="enrollment keys"
      title="Enrollment"
      lead="With a key, a device's agent joins one organization. Agents that have joined keep working after the key is gone."
      whenEmpty="Create one to get the command that enrolls your first device."
      list={list}
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
      ]}
      nameOf={(k) => `${k.prefix}…`}
      consequence={(k) => `No more devices can join with ${k.prefix}…. Devices that joined with it stay.`}
      revoke={revoke}
      onPage={setPage}
      NewKey={NewEnrollmentKey}
    />
  );
}
