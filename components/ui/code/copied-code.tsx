"use client";

import { ActionIcon, CopyButton } from "@mantine/core";
import { Check, Copy } from "lucide-react";
import { Tip } from "@/components/ui/popover/tip";
import classes from "./copied-code.module.css";

/** A code, key or id in full, with a copy button. */
export function CopiedCode({ value, what }: { value: string; what: string }) {
  return (
    <span className={classes.copied}>
      <code>{value}</code>
      <CopyButton value={value} timeout={1500}>
        {({ copied, copy }) => (
          <Tip label={copied ? "Copied" : `Copy ${what}`}>
            <ActionIcon size={24} onClick={copy} aria-label={copied ? `Copied ${what}` : `Copy ${what}`}>
              {copied ? <Check size={13} aria-hidden /> : <Copy size={13} aria-hidden />}
            </ActionIcon>
          </Tip>
        )}
      </CopyButton>
    </span>
  );
}
