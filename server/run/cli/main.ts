import "./quiet";
import { ZodError } from "zod";
import { migrate as migrateDatabase } from "@/db/migrate";
import { isExpected, messageOf, stackOf } from "@/db/thrown";
import { countMigrations } from "@/db/version";
import { RELEASE } from "@/server/ground/build";
import { databaseAddresses } from "@/server/ground/env";
import { AppError, invalidInput } from "@/server/ground/errors";
import { prepareEnvironment } from "@/server/run/process/prepare";
import { createAdmin, createApiKey, listAdmins, resetPassword } from "./accounts";
import { archive } from "./archive";
import { backup, restore } from "./backup";
import { continueChain, repairHead } from "./chain-repair";
import { type Command, printNote, readArgs, say, UsageError } from "./command";
import { doctor } from "./doctor";
import { nightly } from "./nightly";
import { retention } from "./retention";
import { search } from "./search";
import { verify } from "./verify";
import { verifyStream } from "./verify-stream";
import { witness } from "./witness";

/** Migrates the database to this version, or without the owner's address reports whether it is current. */
export const migrate: Command = {
  usage: "",
  summary: "create the roles and apply what the database lacks (needs TRAILMARK_OWNER_DATABASE_URL)",
  async run(args) {
    readArgs(args, {});
    const embedded = await prepareEnvironment({ mayMake: true });
    try {
      const addresses = databaseAddresses();
      let later = "";
      const warn = (line: string) => {
        later = line;
      };
      await migrateDatabase({ ...addresses, log: say, warn });
      say(later || `The database is at this version: ${countMigrations()} migrations applied.`);
      if (!addresses.adminUrl) say("AUDIT_ADMIN_DATABASE_URL is not set: nothing will ever be pruned.");
      return 0;
    } finally {
      await embedded?.stop();
    }
  },
};

const COMMANDS: Record<string, Command> = {
  verify,
  "verify-stream": verifyStream,
  archive,
  migrate,
  doctor,
  "create-admin": createAdmin,
  "create-api-key": createApiKey,
  "list-admins": listAdmins,
  "reset-password": resetPassword,
  retention,
  nightly,
  search,
  "repair-head": repairHead,
  backup,
  restore,
  "continue-chain": continueChain,
  witness,
};
const FAILED = 1;
const MISUSED = 2;

function help(): void {
  say("Usage: npm run trailmark -- COMMAND");
  say("\n  version \n      print the version and the commit it was built from");
  for (const [name, { usage, summary }] of Object.entries(COMMANDS)) say(`\n  ${name} ${usage}\n      ${summary}`);
}

/** Shows a fault that an operator can fix as a sentence, others with a stack. */
function explain(error: unknown): string {
  if (error instanceof ZodError) {
    const { errors = [] } = invalidInput(error).extra;
    return errors.map(({ path, message }) => `${path}: ${message}`).join("\n");
  }
  return error instanceof AppError || isExpected(error) ? messageOf(error) : stackOf(error);
}

async function main([name = "help", ...args]: string[]): Promise<number> {
  if (["help", "--help", "-h"].includes(name)) {
    help();
    return 0;
  }
  if (["version", "--version"].includes(name)) {
    say(RELEASE);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    printNote(`There is no command "${name}".\n`);
    help();
    return MISUSED;
  }
  if (args.includes("--help") || args.includes("-h")) {
    say(`Usage: npm run trailmark -- ${name} ${command.usage}\n\n  ${command.summary}`);
    return 0;
  }
  try {
    return await command.run(args);
  } catch (error) {
    if (error instanceof UsageError) {
      printNote(`${error.message}\nUsage: npm run trailmark -- ${name} ${command.usage}`);
      return MISUSED;
    }
    printNote(explain(error));
    return error instanceof ZodError ? MISUSED : (command.failed ?? FAILED);
  }
}

process.exitCode = await main(process.argv.slice(2));
