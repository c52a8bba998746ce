import { join } from "node:path";
import { readFunctions, type SqlFunction, sqlFunction } from "@/db/install-functions";

/**
 * Functions whose text differs in one place on a cluster: the sealer, who cannot log in, reaches no other node, and Citus
 * takes no sub-selects in the policies of distributed tables.
 */
const CHANGES: Record<string, [plain: string, there: string]> = {
  audit_default_policy: [" SECURITY DEFINER", ""],
  audit_chain_health: ["f.prosecdef", "(f.prosecdef OR w.name IN ('audit_default_policy', 'audit_chain_heads_of'))"],
  tenant_policy: ["'(SELECT %s)'", "'(%s)'"],
};

function changed({ name, text, version }: SqlFunction): SqlFunction {
  const [plain, there] = CHANGES[name] ?? ["", ""];
  if (text.split(plain).length !== 2) throw new Error(`${name} does not have ${plain} once`);
  return sqlFunction(name, text.replace(plain, there), version);
}

/** The functions of a cluster: most as they are, some changed in one place, those of db/citus/functions anew. */
export function clusterFunctions(plain: readonly SqlFunction[], folder: string): SqlFunction[] {
  const own = readFunctions(join(folder, "citus", "functions"), plain[0]?.version ?? "");
  const others = plain.filter(({ name }) => !own.some((one) => one.name === name));
  return [...others.map((one) => (CHANGES[one.name] ? changed(one) : one)), ...own];
}
