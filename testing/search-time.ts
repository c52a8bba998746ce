import { lookupTime } from "@/db/lookup";
import { searchTime } from "@/server/audit/query/search";
import { writeTime } from "@/server/audit/record/pending-write";
import { readTime } from "@/server/custom-fields/import/reader/read-files";
import { askTime } from "@/server/evidence/witnesses/ask";
import { postTime } from "@/server/notify/webhooks/post";

/** Setup of every file that speaks to a database: answers are whole, however busy the machine. */
Object.assign(searchTime, { scan: 60_000, counts: 60_000, proof: 60_000 });
Object.assign(lookupTime, { silence: 25_000 });
Object.assign(askTime, { answer: 60_000 });
Object.assign(postTime, { answer: 60_000 });
/** So are what is written and what a file holds. */
Object.assign(writeTime, { lookup: 60_000, giveUp: 60_000 });
Object.assign(readTime, { preview: 120_000, stage: 120_000 });
