import { route } from "@/server/http/route";
import { openProofLink } from "@/server/proof-links/open";

export const GET = route(openProofLink, {
  summary: "The proof that a short link leads to; open to anyone who has the link, and recorded.",
  auth: "none",
  produces: ["text/plain"],
  errors: ["conflict", "unavailable"],
});
