import { Select, type SelectProps } from "@mantine/core";
import { keysOf } from "@/server/ground/records";

type Props<T extends string> = Omit<SelectProps, "data" | "value" | "onChange"> & {
  labels: Record<T, string>;
  /** By default all that have a label. */
  choices?: readonly T[];
  value: T;
  onChange: (value: T) => void;
};

/** A select that always has exactly one of a few known choices selected. */
export function ChoiceSelect<T extends string>({ labels, choices = keysOf(labels), onChange, ...props }: Props<T>) {
  return (
    <Select
      {...props}
      data={choices.map((value) => ({ value, label: labels[value] }))}
      onChange={(value) => {
        const choice = choices.find((one) => one === value);
        if (choice !== undefined) onChange(choice);
      }}
      allowDeselect={false}
    />
  );
}
