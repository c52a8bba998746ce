"use client";

import { Text } from "@mantine/core";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { parseAsInteger, useQueryState } from "nuqs";
import { useState } from "react";
import { useMe, useOmissionNote, useOrg } from "@/components/account/org";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { RowButton } from "@/components/ui/row-button";
import { useInvalidation } from "@/components/use-invalidation";
import type { ApiKey } from "@/server/identity/api-keys/schema";
import { KeyList } from "./key-list";

const EditApiKey = dynamic(() => import("./edit-api-key").then((m) => m.EditApiKey), { ssr: false });
const RotateApiKey = dynamic(() => import("./rotate-api-key").then((m) => m.RotateApiKey), { ssr: false });
const NewApiKey = dynamic(() => import("./new-api-key").then((m) => m.NewApiKey), { ssr: false });

const NEEDS_FULL_ACCESS = "this key is for all organizations, and you have access to chosen ones only";

const LEAD = "For programs. What each key does is recorded in the audit log under its name.";

/** API keys with permissions, organization and expiry. */
export function ApiKeys() {
  const trpc = useTRPC();
  const { orgId, nameOf } = useOrg();
  const { allOrganizations } = useMe();
  const leftOut = useOmissionNote({ theirs: "Keys of your service provider", ours: "Keys for all organizations" });
  const whyNot = (apiKey: ApiKey) => (apiKey.orgId === null && !allOrganizations ? NEEDS_FULL_ACCESS : undefined);
  const [page, setPage] = useQueryState("page", parseAsInteger.withDefault(1).withOptions({ history: "push" }));
  const list = useQuery(trpc.apiKeys.list.queryOptions({ page, orgId }, { placeholderData: keepPreviousData }));
  const revoke = useMutation(trpc.apiKeys.revoke.mutationOptions(useInvalidation(trpc.apiKeys.pathFilter())));
  const [changing, setChanging] = useState<{ apiKey: ApiKey; Dialog: typeof EditApiKey } | null>(null);
  const action = (apiKey: ApiKey, verb: string, Dialog: typeof EditApiKey) => (
    <RowButton
      label={`${verb} ${apiKey.name}`}
      onClick={() => setChanging({ apiKey, Dialog })}
      disabledReason={whyNot(apiKey)}
    >
      {verb}
    </RowButton>
  );
  return (
    <>
      <KeyList
        singular="API key"
        plural="API keys"
        title="API keys"
        lead={leftOut ? `${LEAD} ${leftOut}` : LEAD}
        whenEmpty="Create one for each program, so that each can be revoked separately."
        list={list}
        columns={[
          { header: "Name", cell: NameAndCreator },
          { header: "Organization", cell: (k) => (k.orgId ? nameOf(k.orgId) : "All organizations"), width: 150 },
          { header: "Permissions", cell: (k) => k.permissions.join(", "), width: 160, minor: true },
          // As wide as a date and time in one line, in whichever font comes first.
          { header: "Last used", cell: LastUse, width: 176 },
          { header: "Expires", cell: (k) => <When at={k.expiresAt} dateOnly />, width: 104, minor: true },
        ]}
        nameOf={(k) => k.name}
        consequence={(k) =>
          `Programs that use the key ${k.prefix}… are refused from now on. This cannot be undone. What the key did stays in the audit log.`
        }
        revoke={revoke}
        disabledReason={whyNot}
        onPage={setPage}
        actions={(k) => (
          <>
            {action(k, "Edit", EditApiKey)}
            {action(k, "Rotate", RotateApiKey)}
          </>
        )}
        NewKey={NewApiKey}
      />
      {changing && <changing.Dialog apiKey={changing.apiKey} onClose={() => setChanging(null)} />}
    </>
  );
}

/**
 * A key keeps working after its creator is disabled, and an old secret after a rotation; administrators should see
 * both.
 */
function NameAndCreator({ name, prefix, isCreatorDisabled, revokedAt, formerUntil }: ApiKey) {
  return (
    <>
      <div>{name}</div>
      <Text component="code" size="xs" c="dimmed" fw={400}>
        {prefix}…
      </Text>
      {isCreatorDisabled && !revokedAt && (
        <Text size="xs" c="dimmed" fw={400}>
          Created by a disabled user
        </Text>
      )}
      {formerUntil && !revokedAt && Date.parse(formerUntil) > Date.now() && (
        <Text component="div" size="xs" c="dimmed" fw={400}>
          Previous secret works until <When at={formerUntil} />
        </Text>
      )}
    </>
  );
}

function LastUse({ lastUsedAt, lastUsedIp }: ApiKey) {
  return (
    <div>
      <When at={lastUsedAt} />
      {lastUsedIp && (
        <Text size="xs" c="dimmed">
          from {lastUsedIp}
        </Text>
      )}
    </div>
  );
}
