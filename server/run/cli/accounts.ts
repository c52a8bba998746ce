import { asc, eq, inArray, or, sql } from "drizzle-orm";
import { z } from "zod";
import { asSystem } from "@/db/client";
import { organizations, partners, users } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import { relay, stopRelay } from "@/server/devices/live/relay";
import { systemCtx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { createApiKey as createKey } from "@/server/identity/api-keys/api-keys";
import { createInput as createKeyInput } from "@/server/identity/api-keys/schema";
import { findByEmail } from "@/server/identity/auth/find-by-email";
import { forgetIdentities } from "@/server/identity/auth/oidc/oidc";
import { newPassword } from "@/server/identity/auth/schema";
import { removeSecondFactors } from "@/server/identity/auth/second-factor/factors";
import { setPassword } from "@/server/identity/auth/set-password";
import { createInput } from "@/server/identity/users/schema";
import { createUser } from "@/server/identity/users/users";
import { completeInput } from "@/server/setup/schema";
import { createSystemAdmin, foundPartner, isSetupNeeded } from "@/server/setup/setup";
import { type Command, printNote, readArgs, readStdin, required, say, UsageError } from "./command";
import { onPlatform } from "./platform";

/** Organization id from an id or slug. @throws UsageError if there is none, or several */
export async function organizationOf(named: string): Promise<string> {
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

/** Organizations of a repeated --org; undefined without one. */
export const organizationsOf = async (named: string[] | undefined): Promise<string[] | undefined> =>
  named && Promise.all(named.map(organizationOf));

type Given = { email: string; password: string; name: string; organization: string; partnerId: string | undefined };

/** Creates the first partner with its administrator, or another administrator of an existing partner. */
async function createPartnerAdmin({ email, password, name, organization, partnerId }: Given): Promise<string> {
  if (await isSetupNeeded()) {
    const founding = completeInput
      .omit({ token: true })
      .parse({ email, password, name, organizationName: organization });
    await foundPartner(founding);
    return `Created the partner ${organization} with its administrator ${email}.`;
  }
  const input = createInput.parse({ email, password, name, role: "partner_admin", partnerId });
  await createUser.run(systemCtx(), input);
  return `Created the partner administrator ${email}.`;
}

/** Only the first partner is created here; a name for another must not be ignored silently. */
const UNUSED =
  "Note: there is a partner already, so that --organization was not used; the administrator belongs to it.";

/** Creates a user who can sign in; --system creates the platform's operator, which no server door can. */
export const createAdmin: Command = {
  usage:
    "--email EMAIL --password-stdin | --password PASSWORD [--name NAME] [--partner ID] [--organization NAME] [--system]",
  summary: "create a partner administrator (the first founds the partner) or, with --system, a system administrator",
  async run(args) {
    const { values } = readArgs(args, {
      email: { type: "string" },
      password: { type: "string" },
      "password-stdin": { type: "boolean" },
      name: { type: "string" },
      partner: { type: "string" },
      organization: { type: "string" },
      system: { type: "boolean" },
    });
    const email = required(values.email, "--email");
    if (values.password && values["password-stdin"])
      throw new UsageError("--password and --password-stdin exclude each other.");
    if (values.system && values.partner) throw new UsageError("A system administrator belongs to no partner.");
    const given = values["password-stdin"] ? await readStdin() : values.password;
    const password = required(given, "--password-stdin or --password");
    const name = values.name ?? email.split("@")[0] ?? email;
    const work = async () => {
      if (values.system) {
        await createSystemAdmin({ email, password, name });
        say(`Created the system administrator ${email}.`);
      } else {
        const organization = values.organization ?? "Home";
        if (values.organization && !(await isSetupNeeded())) printNote(UNUSED);
        say(await createPartnerAdmin({ email, password, name, organization, partnerId: values.partner }));
      }
    };
    // May run before the server ever did.
    await onPlatform(work, { mayMake: true });
    return 0;
  },
};

/** Creates an API key and prints it once, the only text on standard output. */
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
      const input = createKeyInput.parse({ name, permissions, expiresAt: values.expires, ...where });
      const created = await createKey.run(systemCtx(), input);
      printNote(
        `Created the key ${created.prefix}… (${created.name}: ${created.permissions.join(", ")}). It is shown only once:`,
      );
      say(created.key);
    });
    return 0;
  },
};

/** Lists the administrators of this installation. */
export const listAdmins: Command = {
  usage: "",
  summary: "list partner and system administrators: e-mail, role, partner, state, last sign-in",
  async run(args) {
    readArgs(args, {});
    await onPlatform(async () => {
      const rows = await asSystem((tx) =>
        tx
          .select({
            email: users.email,
            role: users.role,
            partner: partners.name,
            disabledAt: users.disabledAt,
            lastLoginAt: users.lastLoginAt,
          })
          .from(users)
          .leftJoin(partners, eq(partners.id, users.partnerId))
          .where(inArray(users.role, ["partner_admin", "system_admin"]))
          .orderBy(asc(users.email)),
      );
      if (rows.length === 0) say("No administrators yet.");
      for (const { email, role, partner, disabledAt, lastLoginAt } of rows) {
        const state = disabledAt ? "disabled" : "active";
        say([email, role, partner ?? "-", state, lastLoginAt?.toISOString() ?? "never"].join("\t"));
      }
    });
    return 0;
  },
};

const passwordSchema = z.strictObject({ password: newPassword });

/** Sets a new password and ends the person's sign-ins, for operators who are locked out. */
export const resetPassword: Command = {
  usage: "--email EMAIL --password-stdin [--remove-two-factor]",
  summary: "give a person a new password, read from standard input; ends their sessions",
  async run(args) {
    const { values } = readArgs(args, {
      email: { type: "string" },
      "password-stdin": { type: "boolean" },
      "remove-two-factor": { type: "boolean" },
    });
    const email = required(values.email, "--email").trim().toLowerCase();
    const given = values["password-stdin"] ? await readStdin() : undefined;
    const { password } = passwordSchema.parse({ password: required(given, "--password-stdin") });
    await onPlatform(async () => {
      const row = await findByEmail(email);
      if (!row) throw new AppError("not_found", `There is no user ${email}.`);
      const ctx = systemCtx();
      const endedSessions = (await setPassword({ user: row, password, now: ctx.now() })) ?? 0;
      const unlinkedIdentities = await forgetIdentities(row.id);
      const removeTwoFactor = values["remove-two-factor"] ?? false;
      if (removeTwoFactor) await removeSecondFactors(row.id);
      record(ctx, {
        action: "user.password.reset",
        orgId: row.orgId ?? row.homeOrgId,
        ...resourceOf("user", row),
        details: { via: "command line", endedSessions, unlinkedIdentities, removeTwoFactor },
      });
      // Ends the person's open streams on running servers.
      relay().notifyCallersChanged();
      await stopRelay();
      const ended = endedSessions === 1 ? "1 session" : `${endedSessions} sessions`;
      say(`${email} has a new password; ${ended} ended.${row.disabledAt ? " The account is disabled." : ""}`);
    });
    return 0;
  },
};
