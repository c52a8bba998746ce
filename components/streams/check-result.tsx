import { count } from "@/components/format/amounts";
import type { Outputs } from "@/components/trpc";
import { StateTag } from "@/components/ui/state-tag";
import classes from "./streams.module.css";

type Check = Outputs["streams"]["check"];

const LABEL: Record<Check["steps"][number]["step"], string> = {
  address: "Address",
  connect: "Connection",
  tls: "Certificate",
  sign_in: "Sign-in",
  write: "Write",
  acknowledge: "Acknowledged",
};

/** Steps of a check up to the first failure, with details. */
export const CheckResult = ({ check }: { check: Check }) => (
  <div role="status">
    <ol className={classes.checks} aria-label="Steps of the check">
      {check.steps.map(({ step, ok, message, ms }) => (
        <li key={step}>
          <StateTag tone={ok ? "good" : "bad"}>{LABEL[step]}</StateTag>
          <span>{message}</span>
          {ms !== null && <span className="tm-quiet tm-figures">{count(ms)} ms</span>}
        </li>
      ))}
    </ol>
  </div>
);
