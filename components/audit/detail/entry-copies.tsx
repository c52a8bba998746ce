"use client";

import { Button, CopyButton, Group } from "@mantine/core";
import { Check } from "lucide-react";
import type { Entry } from "@/components/audit/entry";

const curlOf = (entry: Entry) =>
  `curl -H "Authorization: Bearer $TRAILMARK_KEY" ${window.location.origin}/api/v1/audit-logs/logs/${entry.id}`;
const linkOf = (entry: Entry) => `${window.location.origin}/audit/${entry.id}`;

const COPIES: [string, (entry: Entry) => string][] = [
  ["JSON", (entry) => JSON.stringify(entry, null, 2)],
  ["cURL", curlOf],
  ["Link", linkOf],
];

/** Copies the entry as JSON, as the API call that fetches it, or as a link. */
export function EntryCopies({ entry }: { entry: Entry }) {
  return (
    <Group gap={4} ml={-8}>
      {COPIES.map(([name, make]) => (
        <CopyText key={name} name={name} make={() => make(entry)} />
      ))}
    </Group>
  );
}

function CopyText({ name, make }: { name: string; make: () => string }) {
  return (
    <CopyButton value={typeof window === "undefined" ? "" : make()} timeout={1500}>
      {({ copied, copy }) => (
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          onClick={copy}
          leftSection={copied ? <Check size={13} aria-hidden /> : null}
        >
          {copied ? "Copied" : `Copy ${name}`}
        </Button>
      )}
    </CopyButton>
  );
}
