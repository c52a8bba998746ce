import { linkedPage } from "@/server/evidence/proofs/pages";

export const GET = linkedPage;
