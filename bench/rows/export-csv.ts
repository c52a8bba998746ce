import postgres from "postgres";
import { interleave, msOf } from "@/bench/harness";
import { growthOf } from "@/bench/processes";
import { exportEntries } from "@/server/audit/entries/export";
import { flushRecording } from "@/server/audit/record/record";
import { MAX_EXPORT_ROWS } from "@/server/audit/vocabulary";
import { systemCtx } from "@/server/ground/context";
import { narrow } from "@/server/ground/scope";

const LF = 0x0a;

/**
 * Row 15, in its own process: duration of a CSV export and of a SELECT of its rows in ms, and the export's memory
 * growth.
 */
export async function exportCsvFile(orgId: string, rounds: number) {
  const ctx = narrow(systemCtx(), orgId);
  const connection = { "trailmark.scope": "system" };
  const sql = postgres(process.env.DATABASE_URL ?? "", { max: 1, connection, onnotice: () => {} });
  let lines = 0;
  const toCsv = async () => {
    const answer = await exportEntries.run(ctx, exportEntries.input.parse({ format: "csv" }));
    lines = 0;
    // As cheap as draining on the other side: inspecting each byte in JavaScript took a quarter of the time.
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>)
      for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) lines++;
  };
  const select = () => sql`SELECT * FROM audit_logs WHERE org_id = ${orgId}
    ORDER BY "timestamp" DESC, chain_seq DESC LIMIT ${MAX_EXPORT_ROWS}`;
  for (let i = 0; i < 3; i++) await toCsv();
  const growthMb = await growthOf(toCsv);
  const seen = await interleave(rounds, { csv: () => msOf(toCsv), select: () => msOf(select) });
  await flushRecording();
  await sql.end();
  return { ...seen, lines, growthMb };
}
