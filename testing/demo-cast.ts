import type { Cast } from "@/scripts/demo/beats";
import { DEMO_ADMIN, PEOPLE, planDevices } from "@/scripts/demo/cast";
import { createRandom } from "@/scripts/demo/random";

type Ids = { homeOrgId: string; orgIds: string[]; personIds: readonly string[] };

const idOf = (kind: number, n: number) =>
  `${String(kind).padStart(8, "0")}-0000-4000-8000-${String(n).padStart(12, "0")}`;

/** The people of the demo in their order, its admin first. */
export const DEMO_PEOPLE = [{ ...DEMO_ADMIN, role: "partner_admin", department: "Operations", org: null }, ...PEOPLE];

/** The people and machines of the demo's month, in organizations and with accounts that a test has. */
export const demoCast = ({ homeOrgId, orgIds, personIds }: Ids): Cast => ({
  homeOrgId,
  orgIds,
  people: DEMO_PEOPLE.map((person, n) => ({ ...person, id: personIds[n] ?? "" })),
  devices: planDevices(createRandom(20261120)).map((plan, n) => ({
    ...plan,
    deviceId: idOf(3, n),
    agentId: idOf(4, n),
  })),
});
