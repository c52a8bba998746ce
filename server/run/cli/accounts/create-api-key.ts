import { or, sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { organizations } from "@/db/schema";
import { systemCtx } from "@/server/ground/context";
import { createApiKey as createKey } from "@/server/identity/api-keys/create";
import { createInput } from "@/server/identity/api-keys/schema";
import { type Command, printNote, readArgs, required, say, UsageError } from "@/server/run/cli/command";
import { onPlatform } from "@/server/run/cli/platform";

/** The id of an organization that is named by its id or its slug. */
async function organizationOf(named: string): Promise<string> {
  const rows = await asSystem((tx) =>
    tx
      .select({ id: organizations.id })
      .from(organizations)
      .where(or(sql`${organizations.id}::text = lower(${named})`, sql`${organizations.slug} = ${named}`))
      .limit(2),
  );
  if (rows.length > 1) throw new UsageError(`--org: several organizations are called "${named}"; give the id.`);
  if (!rows[0]) throw new UsageError(`--org: there is no organization "${named}".`);
  return rows[0].id;
}

/** Creates an API key and prints it, once, alone on standard output. */
export const createApiKey: Command = {
  usage: "--name NAME --org ID_OR_SLUG | --partner ID --permission PERMISSION... [--expires ISO_TIME]",
  summary: "create an API key of one organization or a whole partner; the key goes to standard output",
  async run(args) {
    const { values } = readArgs(args, {
      name: { type: "string" },
      org: { type: "string" },
      partner: { type: "string" },
      permission: { type: "string", multiple: true },
      expires: { type: "string" },
    });
    const name = required(values.name, "--name");
    if (!values.org === !values.partner) throw new UsageError("Give either --org or --partner.");
    const permissions = (values.permission ?? []).flatMap((list) => list.split(",")).filter(Boolean);
    if (permissions.length === 0) throw new UsageError("--permission is needed, once for each permission.");
    await onPlatform(async () => {
      const where = values.org ? { orgId: await organizationOf(values.org) } : { partnerId: values.partner };
      const input = createInput.parse({ name, permissions, expiresAt: values.expires, ...where });
      const created = await createKey.run(systemCtx(), input);
      printNote(
        `Created the key ${created.prefix}… (${created.name}: ${created.permissions.join(", ")}). It is shown only once:`,
      );
      say(created.key);
    });
    return 0;
  },
};
