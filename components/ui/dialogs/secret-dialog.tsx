"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { Check, Copy } from "lucide-react";
import type { ReactNode } from "react";
import { useCopy } from "@/components/ui/copy/use-copy";
import { Dialog } from "./dialog";

/** A line with a copy button: a one-time secret, or a command. */
export function CopyLine({ label, value, note }: { label: string; value: string; note?: string }) {
  const { copied, copy } = useCopy();
  return (
    <Stack gap={4}>
      <Text fw={600}>{label}</Text>
      {note && (
        <Text size="sm" c="dimmed">
          {note}
        </Text>
      )}
      <Group className="tm-box" gap="sm" mt={4} wrap="nowrap">
        <code className="tm-code" style={{ flex: 1 }}>
          {value}
        </code>
        <Button
          variant="default"
          size="xs"
          flex="none"
          onClick={() => void copy(value)}
          aria-label={`Copy: ${label}`}
          leftSection={copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
        >
          {copied ? "Copied" : "Copy"}
        </Button>
      </Group>
    </Stack>
  );
}

/** Shows a secret once; a click outside does not close it. */
export function SecretDialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog onClose={onClose} title={title} closeOnClickOutside={false}>
      {children}
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Dialog>
  );
}
