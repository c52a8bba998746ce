import { systemCtx } from "@/server/ground/context";
import { createUser } from "@/server/identity/users/create";
import { createInput } from "@/server/identity/users/schema";
import { type Command, printNote, readArgs, readStdin, required, say, UsageError } from "@/server/run/cli/command";
import { onPlatform } from "@/server/run/cli/platform";
import { foundPartner, isSetupNeeded } from "@/server/setup/found-partner";
import { completeInput } from "@/server/setup/schema";
import { createSystemAdmin } from "@/server/setup/system-admin";

type Given = { email: string; password: string; name: string; organization: string; partnerId: string | undefined };

/** The first partner with its administrator, or one more administrator of a partner that exists. */
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

/** Only the first partner is founded here; a name given for another one must not pass in silence. */
const UNUSED =
  "Note: there is a partner already, so that --organization was not used; the administrator belongs to it.";

/** Creates a user who can sign in; --system creates the platform's operator, which no door of the server does. */
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
    // It may be the first thing that is done here, before the server has ever run.
    await onPlatform(work, { mayMake: true });
    return 0;
  },
};
