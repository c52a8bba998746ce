import { createRoot } from "react-dom/client";
import "./offline.css";
import { ProofPage } from "./proof-page";

/** The proof page as a single offline file: it has no built-in keys and makes no requests. */

/** The palette's schemes use this attribute, which Mantine sets on the server's pages. */
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const follow = () => {
  document.documentElement.dataset.mantineColorScheme = dark.matches ? "dark" : "light";
};
follow();
dark.addEventListener("change", follow);

const root = document.getElementById("root");
if (root) createRoot(root).render(<ProofPage serverPolicy={null} />);
