"use client";

import { Anchor, Box, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useOrg } from "@/components/account/org";
import { useTRPC } from "@/components/trpc";
import { Notice } from "@/components/ui/notice";
import { PagedList } from "@/components/ui/paged-list";
import type { Column } from "@/components/ui/record-table";
import type { Entry } from "./entry";
import { EntryRecords } from "./table/entry-link";

const LIMIT = 50;

const ACTION: Column<Entry> = { header: "Action", cell: (e) => <code>{e.action}</code>, width: 240, minor: true };

/** The newest audit entries about a resource. what: its noun, such as "device". */
export function AuditHistory({ of: { id, name }, what }: { of: { id: string; name: string }; what: string }) {
  const { orgId } = useOrg();
  const query = useQuery(
    useTRPC().audit.list.queryOptions(
      { resourceId: id, limit: LIMIT, skipCount: true },
      {
        select: ({ data, pagination }) => ({
          data,
          pagination: { page: 1, totalPages: 1, total: data.length },
          hasMore: pagination.nextCursor !== null,
        }),
      },
    ),
  );
  const all = new URLSearchParams({ resourceId: id, ...(orgId ? { orgId } : {}) });
  return (
    <>
      <Box px="edge" py="lg">
        <Anchor component={Link} href={`/?${all}`}>
          All audit entries about {name}
        </Anchor>
      </Box>
      <PagedList
        query={query}
        what="the audit history"
        onPage={() => undefined}
        empty={<Notice title={`No entries about this ${what} yet`} />}
      >
        {(rows, isStale) => (
          <>
            <EntryRecords
              caption={`The newest ${LIMIT} audit entries about ${name}`}
              entries={rows}
              more={ACTION}
              isStale={isStale}
            />
            {query.data?.hasMore && (
              <Text size="sm" c="dimmed" px="edge" py="md">
                These are the newest {LIMIT}.
              </Text>
            )}
          </>
        )}
      </PagedList>
    </>
  );
}
