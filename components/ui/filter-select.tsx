import { Select } from "@mantine/core";

type Props<Value extends string> = {
  label: string;
  options: { value: Value; label: string }[];
  value: Value | null;
  onChange: (value: Value | null) => void;
  width?: number;
};

/** Filters a list by one of a few values, or any. */
export function FilterSelect<Value extends string>({ label, options, value, onChange, width = 150 }: Props<Value>) {
  const any = `Any ${label.toLowerCase()}`;
  return (
    <Select
      aria-label={label}
      placeholder={any}
      data={options}
      value={value}
      onChange={onChange}
      clearable
      clearButtonProps={{ "aria-label": any }}
      w={width}
    />
  );
}
