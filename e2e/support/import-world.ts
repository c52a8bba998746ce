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

/** A dozen computers, with every outcome of a row and of a value among them. */
export async function makeSmallWorld(api: Api) {
  const p = `S${crypto.randomUUID().slice(0, 6)}`.toUpperCase();
  const [left, right] = [await api.makeOrganization(`Left ${p}`), await api.makeOrganization(`Right ${p}`)];
  const field = `${p} Shelf`;
  const kept = { name: `${p} Owner`, fieldKey: `${p}_owner`.toLowerCase(), type: "text" };
  const flag = { name: `${p} Patched`, fieldKey: `${p}_patched`.toLowerCase(), type: "boolean" };
  const ids = [await api.call("POST", "/custom-fields", kept), await api.call("POST", "/custom-fields", flag)];
  const known = `${p}-KNOWN`;
  const twins = [`${p}-TWIN-1`, `${p}-TWIN-2`];
  await withDatabase(async (sql) => {
    const names = [known, `${p}-RECORDED`, `${p}-CLAIMED`, ...twins];
    const made = await sql<{ id: string; hostname: string }[]>`
      INSERT INTO devices (org_id, hostname, os) SELECT ${left}::uuid, n, 'windows' FROM unnest(${names}::text[]) n RETURNING id, hostname`;
    await sql`INSERT INTO devices (org_id, hostname, os) SELECT ${right}::uuid, n, 'windows' FROM unnest(${twins}::text[]) n`;
    const recorded = made.find(({ hostname }) => hostname === `${p}-RECORDED`)?.id as string;
    await sql`
      INSERT INTO device_source_ids (partner_id, source, source_id, device_id, org_id)
      SELECT partner_id, 'automate', ${`${p}2`}, ${recorded}::uuid, id FROM organizations WHERE id = ${left}::uuid`;
    await sql`
      INSERT INTO custom_field_values (device_id, org_id, "values")
      VALUES (${recorded}::uuid, ${left}::uuid, jsonb_build_object(${ids[0]?.id as string}::text, 'Alice', ${ids[1]?.id as string}::text, true))`;
  });
  const csv = stringify([
    ["Computer ID", "Computer Name", field, kept.name, flag.name],
    [`${p}1`, known, "A1", "Bob", "1"],
    [`${p}2`, `${p}-RECORDED`, "A2", "Bob", "1"],
    [`${p}3`, twins[0], "A3", "", "0"],
    [`${p}4`, twins[1], "A4", "", "0"],
    [`${p}5`, `${p}-CLAIMED`, "A5", "", "1"],
    [`${p}6`, `${p}-CLAIMED`, "A6", "", "1"],
    [`${p}7`, `${p}-RETIRED`, "A7", "", "maybe"],
    [`${p}8`, `${p}-SLIPPED`, "A8"],
    [`${p}9`, `${p}-RETIRED-2`, "", "", "0"],
    [`${p}10`, `${p}-RETIRED-3`, "", "", "1"],
  ]);
  return { p, field, known, twins, csv };
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
