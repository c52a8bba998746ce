"use client";

import { Button, CopyButton, Text } from "@mantine/core";
import { Check, Copy } from "lucide-react";
import classes from "./copy-line.module.css";

/** A line with a copy button: a secret that is shown once, or a command. */
export function CopyLine({ label, value, note }: { label: string; value: string; note?: string }) {
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
        <CopyButton value={value} timeout={1500}>
          {({ copied, copy }) => (
            <Button
              variant="default"
              size="xs"
              onClick={copy}
              aria-label={`Copy: ${label}`}
              leftSection={copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
            >
              {copied ? "Copied" : "Copy"}
            </Button>
          )}
        </CopyButton>
      </div>
    </div>
  );
}
