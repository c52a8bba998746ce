"use client";

import { Button, Text } from "@mantine/core";
import { Check, Copy } from "lucide-react";
import { useCopy } from "@/components/ui/copy/use-copy";
import classes from "./copy-line.module.css";

/** A line with a copy button: a secret that is shown once, or a command. */
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
