import { Button } from "@mantine/core";

type Props = {
  label: string;
  onClick: () => void;
  /** Why it is disabled; it stays focusable, so that everyone can read the reason. */
  whyNot?: string | undefined;
  children: string;
};

/** A subtle action at the end of a row; its label includes the row's name. */
export function RowButton({ label, onClick, whyNot, children }: Props) {
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      onClick={whyNot ? undefined : onClick}
      aria-label={whyNot ? `${label}: ${whyNot}` : label}
      {...(whyNot && { title: whyNot, "data-disabled": true, "aria-disabled": true })}
    >
      {children}
    </Button>
  );
}
