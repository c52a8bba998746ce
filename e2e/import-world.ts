import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import type { Api } from "./api";
import { withDatabase } from "./database";

export const ROWS = 5_000;
/** Rows of each kind; the rest are matched by their hostname. */
export const MISSING = 60;
export const TWINS = 30;
export const CLAIMS = 10;
export const BAD_DATES = 40;
export const HELD = 25;

type Row = [
  id: string,
  name: string,
  client: string,
  tag: string,
  on: string,
  bought: string,
  owner: string,
  site: string,
];

export type World = Awaited<ReturnType<typeof makeWorld>>;

/** Two organizations with the devices of an export, and the export: every outcome of a row and of a value is in it. */
export async function makeWorld(api: Api) {
  const p = `W${crypto.randomUUID().slice(0, 6)}`.toUpperCase();
  const [left, right] = [`Left ${p}`, `Right ${p}`];
  const orgs = [await api.makeOrganization(left), await api.makeOrganization(right)] as const;
  const make = async (name: string) =>
    (
      await api.call("POST", "/custom-fields", {
        name: `${p} ${name}`,
        fieldKey: `${p}_${name}`.toLowerCase(),
        type: "text",
      })
    ).id as string;
  const [owner, site] = [await make("Owner"), await make("Site")];
  const known = Array.from({ length: ROWS - MISSING - TWINS - CLAIMS }, (_, i) => `${p}-${i + 1}`);
  const fresh = Array.from({ length: MISSING }, (_, i) => `${p}-NEW-${i + 1}`);
  const twins = Array.from({ length: TWINS }, (_, i) => `${p}-TWIN-${i + 1}`);
  const claimed = Array.from({ length: CLAIMS / 2 }, (_, i) => `${p}-CLAIM-${i + 1}`);
  const held = Array.from({ length: HELD }, (_, i) => known[(i + 1) * 150] as string);
  const ids = await withDatabase(async (sql) => {
    const put = (orgId: string, names: string[]) => sql<{ id: string; hostname: string }[]>`
      INSERT INTO devices (org_id, hostname, os) SELECT ${orgId}::uuid, n, 'windows' FROM unnest(${names}::text[]) n RETURNING id, hostname`;
    const made = [...(await put(orgs[0], [...known, ...fresh, ...twins, ...claimed])), ...(await put(orgs[1], twins))];
    const byName = new Map(made.map(({ id, hostname }) => [hostname, id]));
    await sql`
      INSERT INTO custom_field_values (device_id, org_id, "values")
      SELECT d::uuid, ${orgs[0]}::uuid, jsonb_build_object(${owner}::text, 'Alice', ${site}::text, 'Attic')
      FROM unnest(${held.map((name) => byName.get(name) as string)}::text[]) d`;
    return byName;
  });
  const row = (name: string, i: number): Row => {
    const bought = i % 100 === 7 && i < 100 * BAD_DATES ? "2/30/2024" : `${1 + (i % 12)}/${1 + (i % 28)}/2024`;
    return [`${p}${i + 1}`, name, "", `AT-${i}`, String(i % 2), bought, "Bob", i % 50 === 0 ? "Cellar" : ""];
  };
  const gone = Array.from({ length: MISSING }, (_, i) => `${p}-OLD-${i + 1}`);
  const rows = [...known, ...gone, ...twins, ...claimed, ...claimed].map(row);
  const header = [
    "Computer ID",
    "Computer Name",
    "Client Name",
    `${p} Tag`,
    `${p} On`,
    `${p} Bought`,
    `${p} Owner`,
    `${p} Site`,
  ];
  return {
    p,
    left,
    orgs,
    header,
    csv: stringify([header, ...rows]),
    held,
    fresh,
    ids,
    idOf: (name: string) => ids.get(name) as string,
  };
}

/** What a careful admin makes of the rows that were not applied: everything put right but the rows that claim one device. */
export function correct({ header, fresh, left, p }: World, rejected: string): string {
  const records = parse(rejected, { bom: true, columns: true }) as Record<string, string>[];
  const names = [...fresh];
  const bought = `${p} Bought`;
  const fixed = records.map((record) => {
    const next = { ...record };
    if (record[bought] === "2/30/2024") next[bought] = "2/28/2024";
    if (record["Computer Name"]?.includes("-OLD-")) next["Computer Name"] = names.shift() ?? "";
    if (record["Computer Name"]?.includes("-TWIN-")) next["Client Name"] = left;
    return next;
  });
  return stringify(fixed, { header: true, columns: [...header, "Not applied because"], bom: true });
}

/** Holds a device's values, as another writer would, until the returned function is called. */
export async function holdValues(deviceId: string): Promise<() => Promise<void>> {
  let release = () => {};
  let isHeld = () => {};
  const held = new Promise<void>((done) => {
    isHeld = done;
  });
  const released = new Promise<void>((done) => {
    release = done;
  });
  const holding = withDatabase((sql) =>
    sql.begin(async (tx) => {
      await tx`SELECT 1 FROM custom_field_values WHERE device_id = ${deviceId} FOR UPDATE`;
      isHeld();
      await released;
    }),
  );
  await Promise.race([held, holding]);
  return async () => {
    release();
    await holding;
  };
}
