import { Text } from "@mantine/core";
import { CopyLine, SecretDialog } from "@/components/ui/dialogs/secret-dialog";
import classes from "./profile.module.css";

/** Shows the recovery codes once. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  return (
    <SecretDialog title="Recovery codes" onClose={onClose}>
      <Text>
        Each code works once, for when your other factor is not available. They are shown only now: store them where you
        keep passwords.
      </Text>
      <ul className={classes.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <CopyLine label="All codes" value={codes.join(" ")} />
    </SecretDialog>
  );
}
