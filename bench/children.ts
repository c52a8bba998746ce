import { verifyBundleFile } from "./rows/verify-bundle";
import { verifyOnServer } from "./rows/verify-chain";

/** Jobs that run in a process of their own, so that its memory is theirs alone. Each prints one line of JSON. */
export const children: Record<string, (args: string[]) => Promise<void>> = {
  "verify-chain": async ([orgId = "", rounds = "3"]) => tell(await verifyOnServer(orgId, Number(rounds))),
  "verify-bundle": async ([file = "", rounds = "3"]) => tell(await verifyBundleFile(file, Number(rounds))),
};

function tell(answer: object): void {
  const maxRssMb = process.resourceUsage().maxRSS / 1024;
  process.stdout.write(`${JSON.stringify({ ...answer, maxRssMb })}\n`);
}
