import { offlinePage } from "@/server/audit/proofs/offline-page";

export const GET = offlinePage;
