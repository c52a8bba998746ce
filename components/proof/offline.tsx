import { createRoot } from "react-dom/client";
import "./offline.css";
import { ProofPage } from "./proof-page";

/** The proof page as one file for readers who do not want a server's: it knows no key and asks nothing of any network. */

/** The palette's schemes are named by this attribute; on the server's pages Mantine sets it. */
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const follow = () => {
  document.documentElement.dataset.mantineColorScheme = dark.matches ? "dark" : "light";
};
follow();
dark.addEventListener("change", follow);

const root = document.getElementById("root");
if (root) createRoot(root).render(<ProofPage served={null} />);
