"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { FileCheck2 } from "lucide-react";
import dynamic from "next/dynamic";
import { useCan } from "@/components/account/org";

const ShareProof = dynamic(() => import("./share-proof").then((m) => m.ShareProof));

/** Opens the dialog that shares an entry's proof; requires the export permission. */
export function ShareButton({ id }: { id: string }) {
  const [isOpen, { open, close }] = useDisclosure(false);
  if (!useCan("audit:export")) return null;
  return (
    <>
      <Button size="compact-sm" variant="subtle" leftSection={<FileCheck2 size={14} aria-hidden />} onClick={open}>
        Share proof
      </Button>
      {isOpen && <ShareProof id={id} onClose={close} />}
    </>
  );
}
