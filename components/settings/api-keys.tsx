"use client";

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsInteger, useQueryState } from "nuqs";
import { useOrg } from "@/components/account/org";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { KeyList } from "./key-list";

const NewApiKey = dynamic(() => import("./new-api-key").then((m) => m.NewApiKey), { ssr: false });

/** Keys for programs: what they may do, where, and until when. */
export function ApiKeys() {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const { orgId, nameOf } = useOrg();
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(1).withOptions({ history: "push" }));
  const list = useQuery(trpc.apiKeys.list.queryOptions({ page, orgId }, { placeholderData: keepPreviousData }));
  const revoke = useMutation(
    trpc.apiKeys.revoke.mutationOptions({ onSuccess: () => cache.invalidateQueries(trpc.apiKeys.pathFilter()) }),
  );
  return (
    <KeyList
      one="API key"
      many="API keys"
      title="API keys"
      lead="For programs. What a key does is in the audit log under its name."
      whenEmpty="Create one for each program, so that each can be revoked alone."
      list={list}
      columns={[
        { header: "Name", cell: (k) => k.name },
        { header: "Key", cell: (k) => <code>{k.prefix}…</code>, width: 150 },
        { header: "Organization", cell: (k) => (k.orgId ? nameOf(k.orgId) : "All organizations"), width: 180 },
        { header: "Permissions", cell: (k) => k.permissions.join(", "), width: 220, minor: true },
        { header: "Last used", cell: (k) => <When at={k.lastUsedAt} />, width: 176 },
        { header: "Expires", cell: (k) => <When at={k.expiresAt} dateOnly />, width: 112, minor: true },
      ]}
      nameOf={(k) => k.name}
      consequence={(k) =>
        `Programs that use the key ${k.prefix}… are refused from now on. This cannot be undone. What the key did stays in the audit log.`
      }
      revoke={revoke}
      onPage={setPage}
      NewKey={NewApiKey}
    />
  );
}
