import { Button } from "@mantine/core";

/** A quiet action at the end of a row; its label names the row as well. */
export function RowButton({ label, onClick, children }: { label: string; onClick: () => void; children: string }) {
  return (
    <Button variant="subtle" color="gray" size="compact-sm" onClick={onClick} aria-label={label}>
      {children}
    </Button>
  );
}
