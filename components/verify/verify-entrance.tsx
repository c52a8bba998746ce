"use client";

import { useSyncExternalStore } from "react";
import { isProofFragment } from "@/components/proof/proof-link";
import { ProofPage } from "@/components/proof/proof-page";
import { VerifyPage } from "./verify-page";

type Props = { served: string };

function subscribe(onChange: () => void): () => void {
  window.addEventListener("hashchange", onChange);
  return () => window.removeEventListener("hashchange", onChange);
}
const hasProof = (): boolean => isProofFragment(window.location.hash);

/** /verify: a link that carries the proof of an entry shows that; else there is room for an evidence bundle. */
export function VerifyEntrance({ served }: Props) {
  const isProof = useSyncExternalStore(subscribe, hasProof, () => false);
  return isProof ? <ProofPage served={served} /> : <VerifyPage served={served} />;
}
