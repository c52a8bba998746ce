import { COMPLIANCE_ACTIONS } from "@/server/audit/actions";
import { keysOf } from "@/server/ground/records";

/** A figure of a report: what it is called, the actions that it counts, and what is said of it on the page. */
type Figure = { label: string; actions: readonly string[]; note?: string };
type Figures<N extends string> = Readonly<Record<N, Figure>>;

const isChange = (action: string): boolean => action !== "data.access" && action !== "data.export";

/** The figures of the reports on actions, by their names on the wire. */
export const FIGURES = {
  security: {
    loginAttempts: { label: "Sign-in attempts", actions: ["user.login", "user.login.failed"] },
    failedLogins: { label: "Failed sign-ins", actions: ["user.login.failed"] },
    permissionChanges: { label: "Permission changes", actions: ["user.permission.change"] },
  },
  compliance: {
    dataAccess: { label: "Data accesses", actions: ["data.access"] },
    dataChanges: { label: "Changes", actions: COMPLIANCE_ACTIONS.filter(isChange), note: "every other action below" },
    exports: { label: "Exports", actions: ["data.export"] },
  },
} satisfies Record<string, Figures<string>>;

/** The figures with their values in a report, in order. */
export const figuresOf = <N extends string>(
  figures: Figures<N>,
  report: Record<NoInfer<N>, number>,
): (Figure & { value: number })[] => keysOf(figures).map((name) => ({ ...figures[name], value: report[name] }));
