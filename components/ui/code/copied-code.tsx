"use client";

import { ActionIcon, Group } from "@mantine/core";
import { Check, Copy } from "lucide-react";
import Link from "next/link";
import { useCopy } from "@/components/ui/copy/use-copy";
import { Tip } from "@/components/ui/popover/tip";

/** A code, key or id in full, with a copy button; with href it links there. */
export function CopiedCode({ value, what, href }: { value: string; what: string; href?: string }) {
  const { copied, copy } = useCopy();
  const name = copied ? `Copied ${what}` : `Copy ${what}`;
  return (
    <Group component="span" display="inline-flex" gap={4} miw={0} maw="100%" wrap="nowrap">
      <code className="tm-code">
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
    </Group>
  );
}
