import { createRoot } from "react-dom/client";
import "./offline.css";
import { ProofPage } from "./proof-page";

/** The proof page as one file for readers who do not want a server's: it knows no key and asks nothing of any network. */
const root = document.getElementById("root");
if (root) createRoot(root).render(<ProofPage served={null} />);
