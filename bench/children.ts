import { serveBare } from "./rows/bare-server";
import { exportCsvFile } from "./rows/export-csv";
import { verifyBundleFile } from "./rows/verify-bundle";
import { verifyOnServer } from "./rows/verify-chain";

/** Jobs for a separate process, so that memory and time are measured alone. Each prints JSON. */
export const children: Record<string, (args: string[]) => Promise<void>> = {
  "verify-chain": async ([orgId = "", rounds = "3"]) => send(await verifyOnServer(orgId, Number(rounds))),
  "verify-bundle": async ([file = "", rounds = "3"]) => send(await verifyBundleFile(file, Number(rounds))),
  "export-csv": async ([orgId = "", rounds = "3"]) => send(await exportCsvFile(orgId, Number(rounds))),
  "bare-server": ([agent = "{}"]) => serveBare(JSON.parse(agent)),
};

function send(answer: object): void {
  const maxRssMb = process.resourceUsage().maxRSS / 1024;
  process.stdout.write(`${JSON.stringify({ ...answer, maxRssMb })}\n`, () => process.exit(0));
}
