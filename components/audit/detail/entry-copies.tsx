"use client";

import { Button, Group } from "@mantine/core";
import { Check } from "lucide-react";
import type { Entry } from "@/components/audit/entry";
import { useCopy } from "@/components/ui/copy/use-copy";

const curlOf = (entry: Entry) =>
  `curl -H "Authorization: Bearer $TRAILMARK_KEY" ${window.location.origin}/api/v1/audit-logs/logs/${entry.id}`;
const linkOf = (entry: Entry) => `${window.location.origin}/audit/${entry.id}`;

/** json: the entry's JSON, once it is there. */
type Props = { entry: Entry; json: string | undefined };

/** Copies the entry as JSON, as the API call that fetches it, or as a link. */
export function EntryCopies({ entry, json }: Props) {
  const isOnServer = typeof window === "undefined";
  return (
    <Group gap={4} ml={-8}>
      <CopyText name="JSON" text={json} />
      <CopyText name="cURL" text={isOnServer ? "" : curlOf(entry)} />
      <CopyText name="Link" text={isOnServer ? "" : linkOf(entry)} />
    </Group>
  );
}

function CopyText({ name, text }: { name: string; text: string | undefined }) {
  const { copied, copy } = useCopy();
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      disabled={text === undefined}
      onClick={() => void copy(text ?? "")}
      leftSection={copied ? <Check size={13} aria-hidden /> : null}
    >
      {copied ? "Copied" : `Copy ${name}`}
    </Button>
  );
}
