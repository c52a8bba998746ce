import { createRandom, type Random } from "./random";

/** People, machines and organizations of the demo, and of tests that need a whole partner. */
export type OrgPlan = { name: string; prefix: string; network: string; devices: number };
export type PersonPlan = { name: string; email: string; role: string; department: string; org: number | null };
export type DevicePlan = {
  hostname: string;
  os: "windows" | "macos" | "linux";
  osVersion: string;
  org: number;
  kind: string;
  ip: string;
};

export const DEMO_PASSWORD = "trailmark-demo-2026";
export const DEMO_ADMIN = { email: "jane.doe@northwind.example", name: "Jane Doe" };

/** Home organization of the partner. */
export const HOME_NAME = "Northwind IT";

export const ORGS: OrgPlan[] = [
  { name: "Contoso Dental Group", prefix: "CDG", network: "203.0.113", devices: 22 },
  { name: "Fabrikam Logistics", prefix: "FAB", network: "198.51.100", devices: 30 },
  { name: "Lamna Healthcare", prefix: "LAM", network: "192.0.2", devices: 18 },
];

/** Name, email, role, department, and index in ORGS; null for the partner's own staff. */
const STAFF: [string, string, string, string, number | null][] = [
  ["Marcus Webb", "marcus.webb@northwind.example", "partner_technician", "Service desk", null],
  ["Priya Raman", "priya.raman@northwind.example", "partner_technician", "Security operations", null],
  ["Tomás Herrera", "tomas.herrera@northwind.example", "partner_admin", "Engineering", null],
  ["Ingrid Solberg", "ingrid.solberg@contoso-dental.example", "org_admin", "Practice management", 0],
  ["Dele Adeyemi", "dele.adeyemi@contoso-dental.example", "org_viewer", "Compliance", 0],
  ["Hannah Brandt", "hannah.brandt@fabrikam.example", "org_admin", "IT", 1],
  ["Luca Moretti", "luca.moretti@fabrikam.example", "org_technician", "IT", 1],
  ["Aiko Tanaka", "aiko.tanaka@lamna.example", "org_admin", "Information governance", 2],
  ["Sean Gallagher", "sean.gallagher@lamna.example", "org_technician", "Clinical systems", 2],
];
export const PEOPLE: PersonPlan[] = STAFF.map(([name, email, role, department, org]) => ({
  name,
  email,
  role,
  department,
  org,
}));
/** The same, after the administrator who creates them. */
export const EVERYBODY: PersonPlan[] = [
  { ...DEMO_ADMIN, role: "partner_admin", department: "Operations", org: null },
  ...PEOPLE,
];

const KINDS = [
  { kind: "WS", os: "windows", versions: ["Windows 11 24H2", "Windows 11 23H2", "Windows 10 22H2"] },
  { kind: "LT", os: "windows", versions: ["Windows 11 24H2", "Windows 11 23H2"] },
  { kind: "SRV", os: "windows", versions: ["Windows Server 2022", "Windows Server 2019"] },
  { kind: "MAC", os: "macos", versions: ["macOS 26.1", "macOS 15.7"] },
  { kind: "LNX", os: "linux", versions: ["Debian 12", "Ubuntu 24.04 LTS"] },
] as const;

/** Machines of every organization; the first two of each are servers. */
export function planDevices(random: Random): DevicePlan[] {
  return ORGS.flatMap((org, at) =>
    Array.from({ length: org.devices }, (_, i) => {
      const kind = i < 2 ? KINDS[2] : random.pick(KINDS);
      const hostname = `${org.prefix}-${kind.kind}-${String(i + 1).padStart(3, "0")}`;
      return {
        hostname,
        os: kind.os,
        osVersion: random.pick(kind.versions),
        org: at,
        kind: kind.kind,
        ip: `${org.network}.${10 + i}`,
      };
    }),
  );
}

/** The world in an installation, with known ids. */
export type Cast = {
  homeOrgId: string;
  orgIds: string[];
  people: (PersonPlan & { id: string })[];
  devices: (DevicePlan & { deviceId: string; agentId: string })[];
};
export type Person = Cast["people"][number];
export type Device = Cast["devices"][number];

export const SEED = 20261120;

/** Deterministic id for a number. */
export const idOf = (kind: number, n: number): string =>
  `${String(kind).padStart(8, "0")}-0000-4000-8000-${String(n).padStart(12, "0")}`;

type Ids = { homeOrgId: string; orgIds: string[]; personIds: readonly string[] };

/** People and machines of the demo's month, in a test's organizations and accounts. */
export const castIn = ({ homeOrgId, orgIds, personIds }: Ids): Cast => ({
  homeOrgId,
  orgIds,
  people: EVERYBODY.map((person, n) => ({ ...person, id: personIds[n] ?? "" })),
  devices: planDevices(createRandom(SEED)).map((plan, n) => ({ ...plan, deviceId: idOf(3, n), agentId: idOf(4, n) })),
});
