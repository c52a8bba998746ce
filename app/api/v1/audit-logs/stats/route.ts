import { getStatistics } from "@/server/audit/entries/reports/reports";
import { route } from "@/server/doors/http/route";

export const GET = route(getStatistics, { summary: "Entries by category and by actor.", auth: "user" });
