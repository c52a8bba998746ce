import { Button } from "@mantine/core";

type Props = {
  label: string;
  onClick: () => void;
  /** Why it is disabled; it stays focusable, so that everyone can read the reason. */
  disabledReason?: string | undefined;
  children: string;
};

/** A subtle action at the end of a row; its label includes the row's name. */
export function RowButton({ label, onClick, disabledReason, children }: Props) {
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      onClick={disabledReason ? undefined : onClick}
      aria-label={disabledReason ? `${label}: ${disabledReason}` : label}
      {...(disabledReason && { title: disabledReason, "data-disabled": true, "aria-disabled": true })}
    >
      {children}
    </Button>
  );
}
