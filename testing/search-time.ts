import { searchTime } from "@/server/audit/query/search-time";

/** Setup of every file that speaks to a database: answers are whole, however busy the machine. */
Object.assign(searchTime, { scan: 60_000, counts: 60_000, proof: 60_000 });
