import { asc, eq, inArray } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { partners, users } from "@/db/schema";
import { type Command, readArgs, say } from "@/server/run/cli/command";
import { onPlatform } from "@/server/run/cli/platform";

/** Who can administer this installation: for an operator who looks for a way in, or for one too many. */
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
