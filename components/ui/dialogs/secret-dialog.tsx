"use client";

import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { Check, Copy } from "lucide-react";
import type { ReactNode } from "react";
import { useCopy } from "@/components/ui/copy/use-copy";
import classes from "./copy-line.module.css";
import { useReturnedFocus } from "./use-returned-focus";

/** A line with a copy button: a one-time secret, or a command. */
export function CopyLine({ label, value, note }: { label: string; value: string; note?: string }) {
  const { copied, copy } = useCopy();
  return (
    <div className={classes.block}>
      <Text fw={600}>{label}</Text>
      {note && (
        <Text size="sm" c="dimmed">
          {note}
        </Text>
      )}
      <div className={classes.line}>
        <code>{value}</code>
        <Button
          variant="default"
          size="xs"
          onClick={() => void copy(value)}
          aria-label={`Copy: ${label}`}
          leftSection={copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
        >
          {copied ? "Copied" : "Copy"}
        </Button>
      </div>
    </div>
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
  useReturnedFocus();
  return (
    <Modal opened onClose={onClose} title={title} closeOnClickOutside={false}>
      <Stack gap="lg">
        {children}
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
