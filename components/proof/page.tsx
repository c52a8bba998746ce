import { createRoot } from "react-dom/client";
import { Mark } from "@/components/ui/mark";
import { LinkedProof } from "./linked-proof";
import "./page.css";
import { ProofPage } from "./proof-page";

/** The proof page without Next: as one file, which has no keys and makes no request, or behind a short link. */

/** The palette's schemes use this attribute, which Mantine sets on the server's pages. */
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const follow = () => {
  document.documentElement.dataset.mantineColorScheme = dark.matches ? "dark" : "light";
};
follow();
dark.addEventListener("change", follow);

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
