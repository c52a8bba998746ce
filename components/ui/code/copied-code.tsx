"use client";

import { ActionIcon } from "@mantine/core";
import { Check, Copy } from "lucide-react";
import Link from "next/link";
import { useCopy } from "@/components/ui/copy/use-copy";
import { Tip } from "@/components/ui/popover/tip";
import classes from "./copied-code.module.css";

/** A code, key or id in full, with a copy button; with href it links there. */
export function CopiedCode({ value, what, href }: { value: string; what: string; href?: string }) {
  const { copied, copy } = useCopy();
  const name = copied ? `Copied ${what}` : `Copy ${what}`;
  return (
    <span className={classes.copied}>
      <code>
        {href ? (
          <Link href={href} prefetch={false} className="tm-link">
            {value}
          </Link>
        ) : (
          value
        )}
      </code>
      <Tip label={copied ? "Copied" : name}>
        <ActionIcon size={24} onClick={() => void copy(value)} aria-label={name}>
          {copied ? <Check size={13} aria-hidden /> : <Copy size={13} aria-hidden />}
        </ActionIcon>
      </Tip>
    </span>
  );
}
