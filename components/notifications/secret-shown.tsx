import { CopyLine } from "@/components/ui/dialogs/copy-line";
import { SecretDialog } from "@/components/ui/dialogs/secret-dialog";

/** Shows a signing secret once. */
export function SecretShown({ title, secret, onClose }: { title: string; secret: string; onClose: () => void }) {
  return (
    <SecretDialog title={title} onClose={onClose}>
      <CopyLine
        label="Signing secret"
        value={secret}
        note="Shown only once. Your receiver checks the signature of each message with it."
      />
    </SecretDialog>
  );
}
