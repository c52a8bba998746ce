import { route } from "@/server/doors/http/route";
import { openProofLink } from "@/server/evidence/links/links";

export const GET = route(openProofLink, {
  summary: "The proof that a short link leads to; open to anyone who has the link, and recorded.",
  auth: "none",
  produces: ["text/plain"],
  errors: ["conflict", "unavailable"],
});
