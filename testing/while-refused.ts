import { randomUUID } from "node:crypto";
import { roles } from "./chain";

type Rows = { table: string; column: string; id: string };

/** Runs a task while the database refuses to change some rows, as if it went down in between. */
export async function whileRefused<T>({ table, column, id }: Rows, work: () => Promise<T>): Promise<T> {
  const name = `refuse_${randomUUID().replaceAll("-", "")}`;
  await roles.owner.unsafe(`
    CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused by a test'; END $$;
    CREATE TRIGGER ${name} BEFORE UPDATE ON ${table} FOR EACH ROW WHEN (OLD.${column} = '${id}') EXECUTE FUNCTION ${name}()`);
  try {
    return await work();
  } finally {
    await roles.owner.unsafe(`DROP FUNCTION ${name} CASCADE`);
  }
}
