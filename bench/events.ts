import type { AuditInsert } from "@/server/audit/row";
import { newId } from "@/server/ground/ids";
import type { Random } from "@/testing/world/random";

const AGENT =
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/128.0.0.0 Safari/537.36";

/** Id of the nth person, agent or device, so that each keeps its id and name. */
const idOf = (kind: "1" | "2" | "3", n: number) => `0000000${kind}-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** Share of rows whose actor is not at its usual address: laptops, and changes by providers. */
const ELSEWHERE = 0.01;

/** Generates realistic audit rows of about 750 bytes of payload, for the organizations in turn. */
export function eventMaker(random: Random, orgIds: readonly string[]): () => AuditInsert {
  let i = 0;
  return () => {
    i++;
    const user = random.chance(0.5);
    const person = random.int(1, 60);
    const device = random.int(1, 400);
    return {
      id: newId(),
      orgId: orgIds[i % orgIds.length] ?? "",
      timestamp: new Date(Date.UTC(2026, 10, 2) + i).toISOString(),
      actorType: user ? "user" : "agent",
      actorId: user ? idOf("1", person) : idOf("2", device),
      actorEmail: user ? `person${person}@customer.example` : null,
      action: user ? "device.update" : "agent.eventlogs.submit",
      resourceType: "device",
      resourceId: idOf("3", device),
      resourceName: `WS-${device}`,
      details: user
        ? JSON.stringify({
            before: { osVersion: `10.0.${random.int(1, 30_000)}`, freeGb: random.int(1, 400) },
            after: { osVersion: `10.0.${random.int(1, 30_000)}`, freeGb: random.int(1, 400) },
          })
        : JSON.stringify({ received: random.int(1, 500), inserted: random.int(1, 500), categories: { system: 12 } }),
      ipAddress: random.chance(ELSEWHERE)
        ? `10.0.${random.int(0, 200)}.${random.int(1, 250)}`
        : `10.${user ? 1 : 2}.${user ? person : device}.7`,
      userAgent: user ? AGENT : "trailmark-agent/2.1",
      result: random.chance(0.03) ? "failure" : "success",
      errorMessage: null,
    };
  };
}
