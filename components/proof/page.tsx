import { createRoot } from "react-dom/client";
import { Mark } from "@/components/ui/mark";
import "./page.css";
import { useCallback } from "react";
import { ORGANIZATION_HEADER } from "@/server/evidence/links/vocabulary";

import { type LoadedProof, ProofPage } from "./proof-page";

/** The proof page without Next: as one file, which has no keys and makes no request, or behind a short link. */

/** The palette's schemes use this attribute, which Mantine sets on the server's pages. */
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const follow = () => {
  document.documentElement.dataset.mantineColorScheme = dark.matches ? "dark" : "light";
};
follow();
dark.addEventListener("change", follow);

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
function LinkedProof({ token, serverPolicy }: { token: string; serverPolicy: string }) {
  const load = useCallback(() => fetchProof(token), [token]);
  return <ProofPage serverPolicy={serverPolicy} load={load} />;
}

const root = document.getElementById("root");
const published = document.getElementById("server-policy")?.textContent;
const token = window.location.pathname.split("/").at(-1) ?? "";
if (root)
  createRoot(root).render(
    published ? (
      <>
        <header data-screen>
          <a href="/" aria-label="Trailmark, to the audit log">
            <Mark size={22} />
            <span>Trailmark</span>
          </a>
        </header>
        <main>
          <LinkedProof token={token} serverPolicy={String(JSON.parse(published))} />
        </main>
      </>
    ) : (
      <main>
        <ProofPage serverPolicy={null} />
      </main>
    ),
  );
