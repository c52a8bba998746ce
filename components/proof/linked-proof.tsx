"use client";

import { useCallback } from "react";
import { ORGANIZATION_HEADER } from "@/server/evidence/links/vocabulary";
import { type LoadedProof, ProofPage } from "./proof-page";

const FAILED = "The proof could not be fetched. Check the connection and load the page again.";

/** @throws Error with a message for the user */
async function fetchProof(token: string): Promise<LoadedProof> {
  const response = await fetch(`/api/v1/proof-links/${encodeURIComponent(token)}`).catch(() => null);
  if (response?.ok) {
    const organization = decodeURIComponent(response.headers.get(ORGANIZATION_HEADER) ?? "");
    return { text: await response.text(), organization };
  }
  const problem: { detail?: string } = (await response?.json().catch(() => ({}))) ?? {};
  throw new Error(problem.detail ?? FAILED);
}

/** /p/TOKEN: the proof behind a short link, fetched from this server and checked in the browser. */
export function LinkedProof({ token, serverPolicy }: { token: string; serverPolicy: string }) {
  const load = useCallback(() => fetchProof(token), [token]);
  return <ProofPage serverPolicy={serverPolicy} load={load} />;
}
