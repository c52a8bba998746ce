"use client";

import { Button } from "@mantine/core";
import { Check, Copy } from "lucide-react";
import { useCopy } from "@/components/ui/copy/use-copy";
import classes from "./code-block.module.css";

type Props = { code: string; label: string; tall?: boolean };

/** Code to read and copy. A scroll container, focusable so that the keyboard can scroll it. */
export function CodeBlock({ code, label, tall }: Props) {
  const { copied, copy } = useCopy();
  return (
    <div className={classes.block}>
      <Button
        variant="default"
        size="compact-sm"
        className={classes.copy}
        onClick={() => void copy(code)}
        aria-label={copied ? `Copied: ${label}` : `Copy: ${label}`}
        leftSection={copied ? <Check size={13} aria-hidden /> : <Copy size={13} aria-hidden />}
      >
        {copied ? "Copied" : "Copy"}
      </Button>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <section className={classes.code} data-tall={tall || undefined} tabIndex={0} aria-label={label}>
        <pre>{code}</pre>
      </section>
    </div>
  );
}
