import { Select, type SelectProps } from "@mantine/core";

type Props<T extends string> = Omit<SelectProps, "data" | "value" | "onChange"> & {
  choices: readonly T[];
  labels: Record<T, string>;
  value: T;
  onChange: (value: T) => void;
};

/** A select that always has exactly one of a few known choices selected. */
export function ChoiceSelect<T extends string>({ choices, labels, onChange, ...props }: Props<T>) {
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
