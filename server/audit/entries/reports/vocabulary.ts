import { COMPLIANCE_ACTIONS, SECURITY_ACTIONS } from "@/server/audit/actions";
import { keysOf } from "@/server/ground/records";

/** A figure of a report: label, counted actions, and the note on the page. */
type Figure = { label: string; actions: readonly string[]; note?: string };
type Figures<N extends string> = Readonly<Record<N, Figure>>;

const isChange = (action: string): boolean => action !== "data.access" && action !== "data.export";

/** Figures of the action reports, by wire name. */
export const FIGURES = {
  security: {
    loginAttempts: { label: "Sign-in attempts", actions: ["user.login", "user.login.failed"] },
    failedLogins: { label: "Failed sign-ins", actions: ["user.login.failed"] },
    permissionChanges: { label: "Permission changes", actions: ["user.permission.change"] },
  },
  compliance: {
    dataAccess: { label: "Data accesses", actions: ["data.access"] },
    dataChanges: {
      label: "Other actions",
      actions: COMPLIANCE_ACTIONS.filter(isChange),
      note: "changes, scripts run and policy evaluations",
    },
    exports: { label: "Exports", actions: ["data.export"] },
  },
} satisfies Record<string, Figures<string>>;

/** Policies are evaluated around the clock, with or without activity. */
const isRoutine = (action: string): boolean => action.endsWith("policy.evaluate");
/** Security actions except those that recur around the clock. */
export const NOTABLE_SECURITY_ACTIONS: readonly string[] = SECURITY_ACTIONS.filter((action) => !isRoutine(action));

/** The figures with their values in a report, in order. */
export const figuresOf = <N extends string>(
  figures: Figures<N>,
  report: Record<NoInfer<N>, number>,
): (Figure & { value: number })[] => keysOf(figures).map((name) => ({ ...figures[name], value: report[name] }));
