import { offlinePage } from "@/server/evidence/proofs/pages";

export const GET = offlinePage;
