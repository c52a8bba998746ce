"use client";

import { useSyncExternalStore } from "react";
import { isProofFragment } from "@/components/proof/proof-link";
import { ProofPage } from "@/components/proof/proof-page";
import { VerifyPage } from "./verify-page";

type Props = { serverPolicy: string };

function subscribe(onChange: () => void): () => void {
  window.addEventListener("hashchange", onChange);
  return () => window.removeEventListener("hashchange", onChange);
}
const hasProof = (): boolean => isProofFragment(window.location.hash);

/** /verify: shows the proof in the URL if there is one, otherwise the check of evidence bundles. */
export function VerifyHome({ serverPolicy }: Props) {
  const isProof = useSyncExternalStore(subscribe, hasProof, () => false);
  return isProof ? <ProofPage serverPolicy={serverPolicy} /> : <VerifyPage serverPolicy={serverPolicy} />;
}
