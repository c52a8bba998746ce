"use client";

import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useMe, useOmissionNote, useOrg } from "@/components/account/org";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import type { SecretWords } from "@/components/ui/dialogs/rotate-dialog";
import { usePage } from "@/components/ui/paged-list";
import { RecordSection, type RowAction } from "@/components/ui/record-section";
import type { Column } from "@/components/ui/record-table";
import { useInvalidation } from "@/components/use-invalidation";
import type { ApiKey } from "@/server/identity/api-keys/schema";
import { isUsable, revokeAction, STATE_COLUMN } from "./key";

const ApiKeyDialog = dynamic(() => import("./api-key-dialog").then((m) => m.ApiKeyDialog), { ssr: false });
const RotateDialog = dynamic(() => import("@/components/ui/dialogs/rotate-dialog").then((m) => m.RotateDialog), {
  ssr: false,
});

const NEEDS_FULL_ACCESS = "this key is for all organizations, and you have access to chosen ones only";

const LEAD = "Let programs use the API. Their actions are logged under the key's name.";

const SECRET: SecretWords = {
  label: "API key",
  note: "Shown only once. Store it where your program keeps its secrets.",
};

/** API keys with permissions, organization and expiry. */
export function ApiKeys() {
  const trpc = useTRPC();
  const { orgId, nameOf } = useOrg();
  const { allOrganizations } = useMe();
  const leftOut = useOmissionNote({ theirs: "Keys of your service provider", ours: "Keys for all organizations" });
  const [page, setPage] = usePage();
  const list = useQuery(trpc.apiKeys.list.queryOptions({ page, orgId }, { placeholderData: keepPreviousData }));
  const stale = useInvalidation(trpc.apiKeys.pathFilter());
  const revoke = useMutation(trpc.apiKeys.revoke.mutationOptions(stale));
  const rotate = useMutation(trpc.apiKeys.rotate.mutationOptions(stale));
  const actionsOf = (apiKey: ApiKey): RowAction[] => {
    const { name, prefix } = apiKey;
    const disabledReason = apiKey.orgId === null && !allOrganizations ? NEEDS_FULL_ACCESS : undefined;
    return [
      {
        verb: "Edit",
        label: `Edit ${name}`,
        disabledReason,
        dialog: (onClose) => <ApiKeyDialog apiKey={apiKey} secret={SECRET} onClose={onClose} />,
      },
      {
        verb: "Rotate",
        label: `Rotate ${name}`,
        disabledReason,
        dialog: (onClose) => (
          <RotateDialog
            owner={apiKey}
            title={`Rotate ${name}`}
            action="Rotate key"
            overlap={{
              label: "The current secret keeps working for",
              description: "Long enough to give the new one to every program that uses this key",
            }}
            rotate={async (input) => (await rotate.mutateAsync(input)).key}
            secret={SECRET}
            onClose={onClose}
          />
        ),
      },
      revokeAction({
        name,
        disabledReason,
        consequence: `Programs that use the key ${prefix}… are refused from now on. This cannot be undone. What the key did stays in the audit log.`,
        by: revoke,
      }),
    ];
  };
  const columns: Column<ApiKey>[] = [
    { header: "Name", cell: NameAndCreator },
    { header: "Organization", cell: (k) => (k.orgId ? nameOf(k.orgId) : "All organizations"), width: 150 },
    { header: "Permissions", cell: (k) => k.permissions.join(", "), width: 160, minor: true },
    // Wide enough for date and time on one line in any font.
    { header: "Last used", cell: LastUse, width: 176 },
    { header: "Expires", cell: (k) => <When at={k.expiresAt} dateOnly />, width: 104, minor: true },
    STATE_COLUMN,
  ];
  return (
    <RecordSection
      level="page"
      title="API keys"
      lead={leftOut ? `${LEAD} ${leftOut}` : LEAD}
      what="the API keys"
      list={list}
      onPage={setPage}
      columns={columns}
      actions={{ width: 216, of: (k) => (isUsable(k) ? actionsOf(k) : []) }}
      create={{ label: "New API key", dialog: (onClose) => <ApiKeyDialog secret={SECRET} onClose={onClose} /> }}
      empty={{ title: "No API keys yet", text: "Create one for each program, so that each can be revoked separately." }}
    />
  );
}

/**
 * A key keeps working after its creator is disabled, and an old secret after a rotation; administrators should see
 * both.
 */
function NameAndCreator({ name, prefix, isCreatorDisabled, revokedAt, formerUntil }: ApiKey) {
  return (
    <>
      {name}
      <small>
        <code>{prefix}…</code>
      </small>
      {isCreatorDisabled && !revokedAt && <small>Created by a disabled user</small>}
      {formerUntil && !revokedAt && Date.parse(formerUntil) > Date.now() && (
        <small>
          Previous secret works until <When at={formerUntil} />
        </small>
      )}
    </>
  );
}

function LastUse({ lastUsedAt, lastUsedIp }: ApiKey) {
  return (
    <div>
      <When at={lastUsedAt} />
      {lastUsedIp && <small>from {lastUsedIp}</small>}
    </div>
  );
}
