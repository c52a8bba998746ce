import { Button } from "@mantine/core";

type Props = {
  label: string;
  onClick: () => void;
  /** Why it cannot be pressed; it stays in place and focusable, so that every user can learn why. */
  whyNot?: string | undefined;
  children: string;
};

/** A quiet action at the end of a row; its label names the row as well. */
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
