"use client";

import { Box, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Org } from "@/components/account/one-org";
import { count } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { type Outputs, useTRPC } from "@/components/trpc";
import { CopiedCode } from "@/components/ui/code/copied-code";
import { Notice, QueryFailure } from "@/components/ui/notice";
import { Section } from "@/components/ui/page-header";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { SHOWN_CHECKPOINTS } from "./shown";

type Checkpoint = Outputs["integrity"]["checkpoints"]["data"][number];
type Sinks = Outputs["integrity"]["status"]["sinks"];

const columns: Column<Checkpoint>[] = [
  { header: "Through", cell: (c) => `Entry ${count(c.size)}`, width: 170 },
  { header: "Signed", cell: (c) => <When at={c.signedAt} />, width: 210 },
  { header: "Root hash", cell: (c) => <CopiedCode value={c.root} what="root" /> },
];

const cosigned: Column<Checkpoint> = {
  header: "Cosigned by",
  cell: (c) => (c.witnesses.length > 0 ? c.witnesses.map(({ name }) => name).join(", ") : "No witness yet"),
  width: 220,
};

/** Signed checkpoints, where they are stored outside the database, and the keys that verify them. */
export function Checkpoints({ org, sinks }: { org: Org; sinks: Sinks }) {
  const query = useQuery(useTRPC().integrity.checkpoints.queryOptions({ orgId: org.id, limit: SHOWN_CHECKPOINTS }));
  return (
    <>
      <Section
        title="Signed checkpoints"
        lead="A signature over everything up to an entry, stored outside the database."
        flush
      >
        {query.isPending && (
          <Box px="edge" pb={20} role="status" aria-label="Loading the checkpoints">
            <Skeleton height={120} />
          </Box>
        )}
        <QueryFailure query={query} what="the checkpoints" />
        {query.data &&
          (query.data.data.length === 0 ? (
            <Notice title="No checkpoint yet">The first is signed shortly after the first audit entries.</Notice>
          ) : (
            <RecordTable
              caption={`The newest ${SHOWN_CHECKPOINTS} signed checkpoints`}
              columns={query.data.witnesses.length > 0 ? [...columns, cosigned] : columns}
              rows={query.data.data}
              rowKey={(c) => `${c.size}-${c.signedAt}`}
            />
          ))}
      </Section>
      <Section title="Where checkpoints go">
        <Stack component="ul" gap={6}>
          {sinks.map((sink) => (
            <li key={sink.name}>
              <strong>{SINK[sink.name]}</strong> <span className="tm-quiet">{sink.detail}</span>
            </li>
          ))}
        </Stack>
      </Section>
      <Section title="Verifier keys" lead="Publish these where your auditors can find them without this server.">
        <Stack component="ul" gap={6}>
          {query.data?.publicKeys.map((key) => (
            <li key={key}>
              <CopiedCode value={key} what="verifier key" />
            </li>
          ))}
        </Stack>
      </Section>
    </>
  );
}

const SINK: Record<Sinks[number]["name"], string> = { file: "File", log: "Log", webhook: "Webhook" };
