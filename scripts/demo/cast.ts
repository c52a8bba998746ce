import type { Random } from "./random";

/** The people, machines and organizations of the demo month. */
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

/** The partner itself: its own staff's organization. */
export const HOME_NAME = "Northwind IT";

export const ORGS: OrgPlan[] = [
  { name: "Contoso Dental Group", prefix: "CDG", network: "203.0.113", devices: 22 },
  { name: "Fabrikam Logistics", prefix: "FAB", network: "198.51.100", devices: 30 },
  { name: "Lamna Healthcare", prefix: "LAM", network: "192.0.2", devices: 18 },
];

export const PEOPLE: PersonPlan[] = [
  {
    name: "Marcus Webb",
    email: "marcus.webb@northwind.example",
    role: "partner_technician",
    department: "Service desk",
    org: null,
  },
  {
    name: "Priya Raman",
    email: "priya.raman@northwind.example",
    role: "partner_technician",
    department: "Security operations",
    org: null,
  },
  {
    name: "Tomás Herrera",
    email: "tomas.herrera@northwind.example",
    role: "partner_admin",
    department: "Engineering",
    org: null,
  },
  {
    name: "Ingrid Solberg",
    email: "ingrid.solberg@contoso-dental.example",
    role: "org_admin",
    department: "Practice management",
    org: 0,
  },
  {
    name: "Dele Adeyemi",
    email: "dele.adeyemi@contoso-dental.example",
    role: "org_viewer",
    department: "Compliance",
    org: 0,
  },
  { name: "Hannah Brandt", email: "hannah.brandt@fabrikam.example", role: "org_admin", department: "IT", org: 1 },
  { name: "Luca Moretti", email: "luca.moretti@fabrikam.example", role: "org_technician", department: "IT", org: 1 },
  {
    name: "Aiko Tanaka",
    email: "aiko.tanaka@lamna.example",
    role: "org_admin",
    department: "Information governance",
    org: 2,
  },
  {
    name: "Sean Gallagher",
    email: "sean.gallagher@lamna.example",
    role: "org_technician",
    department: "Clinical systems",
    org: 2,
  },
];

const KINDS = [
  { kind: "WS", os: "windows", versions: ["Windows 11 24H2", "Windows 11 23H2", "Windows 10 22H2"] },
  { kind: "LT", os: "windows", versions: ["Windows 11 24H2", "Windows 11 23H2"] },
  { kind: "SRV", os: "windows", versions: ["Windows Server 2022", "Windows Server 2019"] },
  { kind: "MAC", os: "macos", versions: ["macOS 26.1", "macOS 15.7"] },
  { kind: "LNX", os: "linux", versions: ["Debian 12", "Ubuntu 24.04 LTS"] },
] as const;

/** The machines of every organization; the first two of each are servers. */
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
