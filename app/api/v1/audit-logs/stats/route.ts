import { getStatistics } from "@/server/audit/entries/reports/reports";
import { route } from "@/server/http/route";

export const GET = route(getStatistics, { summary: "Entries by category and by actor.", auth: "user" });
