import { offlinePage } from "@/server/evidence/proofs/offline-page";

export const GET = offlinePage;
